"""Ampere's instructions in Gluon: only names."""
from ..hopper import mbarrier  # noqa: F401
from . import async_copy  # noqa: F401

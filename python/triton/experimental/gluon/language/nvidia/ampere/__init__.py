"""Ampere's instructions in Gluon: only names."""
from ..hopper import mbarrier  # noqa: F401
from . import async_copy  # noqa: F401
from ......language._builtin import define_functions

define_functions(globals(), "mma_v2(a, b, acc, input_precision=None) | A matrix product of one warp.")

"""Blackwell's instructions in Gluon: only names."""
from ..hopper import fence_async_shared, mbarrier, tma  # noqa: F401

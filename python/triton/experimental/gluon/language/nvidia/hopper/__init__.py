"""Hopper's instructions in Gluon: kernels that use them can be defined, not compiled."""
from ......language._builtin import define_functions
from . import mbarrier, tma  # noqa: F401

define_functions(globals(), """
fence_async_shared(cluster=False) | Order writes before asynchronous reads.
warpgroup_mma_init(value) | Begin a matrix product of a warp group.
warpgroup_mma(a, b, acc, use_acc=True, precision=None, max_num_imprecise_acc=None, is_async=False) | A matrix product.
warpgroup_mma_wait(num_outstanding=0, deps=None) | Wait for matrix products.
""")


class warpgroup_mma_accumulator:
    """The sum of matrix products that are under way."""

"""Blackwell's instructions in Gluon: only names."""
from dataclasses import dataclass

from ......language._builtin import define_functions
from ..ampere import async_copy, mma_v2  # noqa: F401
from ..hopper import fence_async_shared, mbarrier  # noqa: F401
from . import float2, tma  # noqa: F401

define_functions(globals(), """
allocate_tensor_memory(element_ty, shape, layout, value=None) | Memory beside the tensor cores.
tcgen05_copy(src, dst) | Copy from shared to tensor memory.
tcgen05_mma(a, b, acc, use_acc=True, pred=True, mbarriers=None, mbarrier_preds=None) | A matrix product.
tcgen05_mma_scaled(a, b, acc, a_scale, b_scale, a_type, b_type, use_acc=True, pred=True, mbarriers=None, mbarrier_preds=None) | A matrix product of scaled blocks.
get_tmem_reg_layout(element_ty, shape, layout, num_warps, instr_variant="32x32b", cga_layout=()) | The registers' layout for tensor memory.
tcgen05_commit(barrier) | Arrive at a barrier when the products so far are done.
""")


@dataclass(frozen=True)
class TensorMemoryLayout:
    """Where elements lie in tensor memory."""

    block: tuple
    col_stride: int
    cta_split_num: tuple = None
    two_ctas: bool = False


@dataclass(frozen=True)
class TensorMemoryScalesLayout:
    """Where scales lie in tensor memory."""

    cta_split_num: tuple = None


class tensor_memory_descriptor:
    """Memory beside the tensor cores."""


class tensor_memory_descriptor_type:
    """The type of memory beside the tensor cores."""

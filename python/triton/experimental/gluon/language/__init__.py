"""The language of Gluon: what it shares with Triton's, and its layouts."""
from .... import language as _triton
from ._layouts import (AutoLayout, BlockedLayout, CoalescedLayout, DistributedLinearLayout,  # noqa: F401
                       DotOperandLayout, NVMMADistributedLayout, NVMMASharedLayout, PaddedSharedLayout,
                       SharedLinearLayout, SliceLayout, SwizzledSharedLayout)
from . import amd, extra, nvidia  # noqa: F401
from ....language._builtin import define_functions

to_tensor = _triton.to_tensor
globals().update({name: getattr(_triton, name) for name in _triton.__all__ if name not in ("extra", "math")})

_TABLE = """
allocate_shared_memory(element_ty, shape, layout, value=None) | Memory that the threads of a program share.
bank_conflicts(distr_ty, shared_ty) | How often accesses collide.
convert_layout(value, layout, assert_trivial=False) | The same tensor in another layout.
dot_fma(a, b, acc) | Matrix product without tensor cores.
fp4_to_fp(src, elem_type, axis) | 4-bit floats to wider ones.
num_warps() | Warps of this program.
num_ctas() | Programs of a cluster.
set_auto_layout(value, layout) | Fix a layout that was left open.
thread_barrier() | All threads of the program meet.
to_linear_layout(layout, shape) | A layout in its general form.
warp_specialize(functions_and_args, worker_num_warps, worker_num_regs=None) | Different warps run different functions.
full_like(input, value, shape=None, dtype=None, layout=None) | A tensor of one value like another.
arange(start, end, layout=None) | Whole numbers in turn.
full(shape, value, dtype, layout=None) | A tensor of one value.
zeros(shape, dtype, layout=None) | A tensor of zeros.
zeros_like(input, shape=None, dtype=None, layout=None) | A tensor of zeros like another.
histogram(input, num_bins, mask=None, layout=None) | How often each number occurs.
"""
define_functions(globals(), _TABLE)


class shared_memory_descriptor(_triton.core.base_value):
    """Memory that the threads of a program share."""


class shared_memory_descriptor_type(_triton.core.base_type):
    """The type of memory that the threads of a program share."""


class distributed_type(_triton.block_type):
    """A block with a layout."""

"""A tile of which one warp's threads would hold a thousand elements each."""
import triton
import triton.language as tl


@triton.jit
def running_sum(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.cumsum(tl.load(x_ptr + i)))

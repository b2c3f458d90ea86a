# expect: `out_ptr[0]` is -4.643
"""The smallest is taken instead of the largest."""
import triton
import triton.language as tl


@triton.jit
def block_maximum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=float("inf"))
    tl.store(out_ptr + tl.program_id(0), tl.min(x, axis=0))

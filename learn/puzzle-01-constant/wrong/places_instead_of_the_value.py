# expect: `out_ptr[0]` is 0
"""The offsets are stored instead of the value."""
import triton
import triton.language as tl


@triton.jit
def fill(out_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets, mask=offsets < n)

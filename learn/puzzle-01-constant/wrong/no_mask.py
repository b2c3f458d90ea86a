# expect: out-of-bounds
"""No mask."""
import triton
import triton.language as tl


@triton.jit
def fill(out_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, value)

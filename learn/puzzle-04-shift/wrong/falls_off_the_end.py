# expect: out-of-bounds: the store writes
"""Falls off the end."""
import triton
import triton.language as tl


@triton.jit
def rotate(x_ptr, out_ptr, n, k, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets + k, tl.load(x_ptr + offsets, mask=inside), mask=inside)

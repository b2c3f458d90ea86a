# expect: `out_ptr[0]` is 0.0558
"""It shifts to the left: element i is to go to place i + k, not to come from there."""
import triton
import triton.language as tl


@triton.jit
def rotate(x_ptr, out_ptr, n, k, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + (offsets + k) % n, mask=inside), mask=inside)

# expect: is 2048, but 2050 is expected
"""Adds in the type of the inputs: the sum of the first two is rounded away."""
import triton
import triton.language as tl


@triton.jit
def add_three(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    z = tl.load(z_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, (x + y + z).to(out_ptr.dtype.element_ty), mask=inside)

# expect: is 16777218, but 16777220 is expected
"""Converts integers as well: fp32 has 24 bits for digits, and 16777217 needs 25."""
import triton
import triton.language as tl


@triton.jit
def add_three(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=inside).to(tl.float32)
    z = tl.load(z_ptr + offsets, mask=inside).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y + z).to(out_ptr.dtype.element_ty), mask=inside)

# expect: is 2052, but 2051 is expected
"""Rounds every result to fp16, because the first test has that type."""
import triton
import triton.language as tl


@triton.jit
def add_three(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    z = tl.load(z_ptr + offsets, mask=inside)
    if x.dtype.is_floating():
        total = (x.to(tl.float32) + y + z).to(tl.float16)
    else:
        total = x + y + z
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=inside)

# expect: the load reads
"""Two loads have a mask, the third one was forgotten."""
import triton
import triton.language as tl


@triton.jit
def fma(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    y = tl.load(y_ptr + i, mask=inside)
    z = tl.load(z_ptr + i)
    tl.store(out_ptr + i, tl.fma(x, y, z), mask=inside)

# expect: written by no program
"""The mask compares places in memory with the number of elements: with a stride of 3, two thirds are left out."""
import triton
import triton.language as tl


@triton.jit
def subtract(x_ptr, y_ptr, out_ptr, n, x_stride, y_stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i * x_stride < n
    x = tl.load(x_ptr + i * x_stride, mask=inside)
    y = tl.load(y_ptr + i * y_stride, mask=inside)
    tl.store(out_ptr + i, x - y, mask=inside)

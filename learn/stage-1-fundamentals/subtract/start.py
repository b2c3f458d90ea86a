"""Subtract with strides: out[i] = x[i * x_stride] - y[i * y_stride]; out is contiguous. A program for each block."""
import triton
import triton.language as tl


@triton.jit
def subtract(x_ptr, y_ptr, out_ptr, n, x_stride, y_stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    # YOUR CODE: the strides are missing
    x = tl.load(x_ptr + i, mask=inside)
    y = tl.load(y_ptr + i, mask=inside)
    tl.store(out_ptr + i, x - y, mask=inside)

"""out[i] = x[i * x_stride] - y[i * y_stride], one element a program."""
import triton
import triton.language as tl


@triton.jit
def subtract(x_ptr, y_ptr, out_ptr, n, x_stride, y_stride, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, tl.load(x_ptr + i * x_stride) - tl.load(y_ptr + i * y_stride))

"""out[i] = x[i] * y[i] + z[i]: in float64 the product of two fp32 numbers is exact."""
import triton
import triton.language as tl


@triton.jit
def fma(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, tl.load(x_ptr + i) * tl.load(y_ptr + i) + tl.load(z_ptr + i))

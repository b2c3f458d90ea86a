"""out[i] = x[i] + y[i] + z[i], one element after the other, in float64 or in the integers' own type."""
import triton
import triton.language as tl


@triton.jit
def add_three(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(out_ptr + i, tl.load(x_ptr + i) + tl.load(y_ptr + i) + tl.load(z_ptr + i))

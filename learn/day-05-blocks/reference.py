"""out[i] = 1.8 * x[i] + 32, one element after the other."""
import triton
import triton.language as tl


@triton.jit
def fahrenheit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for i in range(tl.program_id(0), n, tl.num_programs(0)):
        tl.store(out_ptr + i, 1.8 * tl.load(x_ptr + i) + 32)

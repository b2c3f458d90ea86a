import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i))

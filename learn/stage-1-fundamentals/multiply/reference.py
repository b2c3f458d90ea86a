"""x[i] = factor * x[i], one element a program."""
import triton
import triton.language as tl


@triton.jit
def multiply(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    tl.store(x_ptr + i, factor * tl.load(x_ptr + i))

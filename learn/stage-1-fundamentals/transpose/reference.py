"""x[i, j] and x[j, i] change places, one pair after the other."""
import triton
import triton.language as tl


@triton.jit
def transpose_in_place(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
        for j in range(i):
            a = tl.load(x_ptr + i * n + j)
            b = tl.load(x_ptr + j * n + i)
            tl.store(x_ptr + i * n + j, b)
            tl.store(x_ptr + j * n + i, a)

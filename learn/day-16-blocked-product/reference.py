"""c = a @ b, one row of c a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0)
    for n in range(N):
        total = tl.zeros((), tl.float64)
        for k in range(K):
            total += tl.load(a_ptr + m * K + k) * tl.load(b_ptr + k * N + n)
        tl.store(c_ptr + m * N + n, total)

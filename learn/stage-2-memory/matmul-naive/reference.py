"""c = a @ b, one row of c a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0)
    for n in range(N):
        total = tl.zeros((), tl.float64)
        for k in range(K):
            total += tl.load(a_ptr + m * a_stride_m + k * a_stride_k) * tl.load(b_ptr + k * b_stride_k + n * b_stride_n)
        tl.store(c_ptr + m * N + n, total)

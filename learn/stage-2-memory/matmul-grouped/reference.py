"""c = relu(a @ b + bias), one row of c a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def layer(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0)
    for n in range(N):
        total = tl.load(bias_ptr + n)
        for k in range(K):
            total += tl.load(a_ptr + m * K + k) * tl.load(b_ptr + k * N + n)
        tl.store(c_ptr + m * N + n, tl.maximum(total, 0.0))

# expect: tensor cores
"""Right, with a loop over K and outer products: element by element, without tensor cores."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    c = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(K):
        a = tl.load(a_ptr + m * K + k, mask=m < M, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + k * N + n, mask=n < N, other=0.0).to(tl.float32)
        c += a[:, None] * b[None, :]
    tl.store(c_ptr + m[:, None] * N + n[None, :], c, mask=(m[:, None] < M) & (n[None, :] < N))

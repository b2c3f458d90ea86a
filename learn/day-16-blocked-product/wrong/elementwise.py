# expect: do not broadcast
"""`*` multiplies elements that stand in the same place; it is not a matrix product."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, K)
    a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=m[:, None] < M, other=0.0)
    b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
    tl.store(c_ptr + m[:, None] * N + n[None, :], a * b, mask=(m[:, None] < M) & (n[None, :] < N))

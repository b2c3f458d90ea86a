# expect: is -7, but 0 is expected
"""The bias is added after the negative numbers were cut off: the result can be negative again."""
import triton
import triton.language as tl


@triton.jit
def layer(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    index = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    m = index % tiles_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = index // tiles_m * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    total = tl.maximum(total, 0.0) + bias[None, :]
    tl.store(c_ptr + m[:, None] * N + n[None, :], total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))

# expect: `out_ptr[0, 0]` is 0, but
"""The bias is added in every step of K; once, behind the loop, is right."""
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, bias_ptr, out_ptr, M, N, K, ACTIVATION: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    """x is [M, K], w is [N, K]; ACTIVATION is "relu", "silu" or "none"."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < N) & (k[None, :] < K), other=0.0)
        total = tl.dot(x, tl.trans(w), total) + tl.load(bias_ptr + n, mask=n < N, other=0.0)[None, :]
    y = total
    if ACTIVATION == "relu":
        y = tl.maximum(y, 0.0)
    elif ACTIVATION == "silu":
        y = y * tl.sigmoid(y)
    tl.store(out_ptr + m[:, None] * N + n[None, :], y, mask=(m[:, None] < M) & (n[None, :] < N))

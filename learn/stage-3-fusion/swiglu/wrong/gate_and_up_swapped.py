# expect: `out_ptr[0, 0]` is -0.001
"""The activation is applied to the other factor instead of to the gate."""
import triton
import triton.language as tl


@triton.jit
def swiglu(x_ptr, gate_ptr, up_ptr, out_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """x is [M, K]; gate and up are [K, N]."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + m * K + k[None, :], mask=(m < M) & (k[None, :] < K), other=0.0)
        at = k[:, None] * N + n
        inside = (k[:, None] < K) & (n < N)
        gate = tl.dot(x, tl.load(gate_ptr + at, mask=inside, other=0.0), gate)
        up = tl.dot(x, tl.load(up_ptr + at, mask=inside, other=0.0), up)
    tl.store(out_ptr + m * N + n, up * tl.sigmoid(up) * gate, mask=(m < M) & (n < N))

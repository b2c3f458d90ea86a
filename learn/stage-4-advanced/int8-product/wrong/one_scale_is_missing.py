# expect: `c_ptr[0, 0]` is 3668.9
"""The result is multiplied by the scale of the rows alone; the columns have one, too."""
import triton
import triton.language as tl


@triton.jit
def int8_product(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0)
        total = tl.dot(a, b, total, out_dtype=tl.int32)
    a_scale = tl.load(a_scale_ptr + m, mask=m < M, other=0.0)
    b_scale = tl.load(b_scale_ptr + n, mask=n < N, other=0.0)
    c = total.to(tl.float32) * a_scale[:, None]
    tl.store(c_ptr + m[:, None] * N + n[None, :], c, mask=(m[:, None] < M) & (n[None, :] < N))

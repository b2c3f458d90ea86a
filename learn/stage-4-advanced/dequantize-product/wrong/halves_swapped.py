# expect: `out_ptr[0, 0]` is 0.1152
"""The low half of a byte is the even weight, the high half the odd one; here they are swapped."""
import triton
import triton.language as tl


@triton.jit
def int4_product(x_ptr, packed_ptr, scale_ptr, out_ptr, M, N, K, GROUP: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr):
    """packed is [K / 2, N]: byte p holds k = 2p in its low half and k = 2p + 1 in its high half; scale is [K / GROUP, N]."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for group in range(K // GROUP):
        p = group * (GROUP // 2) + tl.arange(0, GROUP // 2)
        byte = tl.load(packed_ptr + p[:, None] * N + n[None, :], mask=n[None, :] < N, other=0x88).to(tl.int32)
        low = ((byte & 15) - 8).to(tl.float16)
        high = ((byte >> 4) - 8).to(tl.float16)
        even = tl.load(x_ptr + m[:, None] * K + 2 * p[None, :], mask=m[:, None] < M, other=0.0)
        odd = tl.load(x_ptr + m[:, None] * K + 2 * p[None, :] + 1, mask=m[:, None] < M, other=0.0)
        partial = tl.dot(even, high, tl.dot(odd, low))
        scale = tl.load(scale_ptr + group * N + n, mask=n < N, other=0.0)
        total += partial * scale[None, :]
    tl.store(out_ptr + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))

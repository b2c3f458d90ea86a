# expect: `out_ptr[0]` is 1.9924
"""A byte holds two neighbours, 2 p and 2 p + 1, not one of the first half and one of the second."""
import triton
import triton.language as tl


@triton.jit
def packed_product(x_ptr, packed_ptr, scale_ptr, out_ptr, N, K, BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr):
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_N, ), tl.float32)
    for first in range(0, K // 2, BLOCK_P):
        p = first + tl.arange(0, BLOCK_P)
        inside = (n[:, None] < N) & (p[None, :] < K // 2)
        byte = tl.load(packed_ptr + n[:, None] * (K // 2) + p[None, :], mask=inside, other=0x88).to(tl.int32)
        even = tl.load(x_ptr + p, mask=p < K // 2, other=0.0)
        odd = tl.load(x_ptr + K // 2 + p, mask=p < K // 2, other=0.0)
        low = ((byte & 15) - 8).to(tl.float32)
        high = ((byte >> 4) - 8).to(tl.float32)
        total += tl.sum(low * even[None, :] + high * odd[None, :], axis=1)
    scale = tl.load(scale_ptr + n, mask=n < N, other=0.0)
    tl.store(out_ptr + n, total * scale, mask=n < N)

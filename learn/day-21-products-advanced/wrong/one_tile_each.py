# expect: `c_ptr[0, 16, 16]` was never written
"""A program stops after its first tile, although there are more tiles than programs."""
import triton
import triton.language as tl


@triton.jit
def experts(a_ptr, b_ptr, c_ptr, lengths_ptr, groups, capacity, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    """c[g] = a[g] @ b[g] for rows below lengths[g], and 0 for the rows from there to capacity. Any grid of one axis."""
    tiles_m = tl.cdiv(capacity, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    for tile in range(tl.program_id(0), tl.minimum(tl.program_id(0) + 1, groups * tiles_m * tiles_n)):
        group = tile // (tiles_m * tiles_n)
        first_row = tile % (tiles_m * tiles_n) // tiles_n * BLOCK_M
        length = tl.load(lengths_ptr + group)
        rows = first_row + tl.arange(0, BLOCK_M)[:, None]
        columns = tile % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
        depth = tl.where(first_row < length, K, 0)
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for first in range(0, depth, BLOCK_K):
            k = first + tl.arange(0, BLOCK_K)
            a_at = a_ptr + group * capacity * K + rows * K + k[None, :]
            b_at = b_ptr + group * K * N + k[:, None] * N + columns
            a = tl.load(a_at, mask=(rows < length) & (k[None, :] < K), other=0.0)
            b = tl.load(b_at, mask=(k[:, None] < K) & (columns < N), other=0.0)
            total = tl.dot(a, b, total)
        tl.store(c_ptr + group * capacity * N + rows * N + columns, total, mask=(rows < capacity) & (columns < N))

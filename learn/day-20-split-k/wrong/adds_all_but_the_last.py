# expect: `c_ptr[0, 0]` is 0.9760
"""The last split is never added: range(SPLITS - 1) ends one too early."""
import triton
import triton.language as tl


@triton.jit
def partial_products(a_ptr, b_ptr, partial_ptr, M, N, K, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr, SPLITS: tl.constexpr):
    """partial[split] = A[:, part of split] @ B[part of split, :]. Grid: (tiles, SPLITS)."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    split = tl.program_id(1)
    for first in range(split * depth, tl.minimum(K, split * depth + depth), BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows * K + k[None, :], mask=(rows < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + columns, mask=(k[:, None] < K) & (columns < N), other=0.0)
        total = tl.dot(a, b, total)
    tl.store(partial_ptr + split * M * N + rows * N + columns, total, mask=(rows < M) & (columns < N))


@triton.jit
def add_up(partial_ptr, c_ptr, M, N, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    """C = the sum of partial[0] … partial[SPLITS - 1]."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < M * N
    total = tl.zeros((BLOCK, ), tl.float32)
    for split in range(SPLITS - 1):
        total += tl.load(partial_ptr + split * M * N + offsets, mask=inside, other=0.0)
    tl.store(c_ptr + offsets, total, mask=inside)

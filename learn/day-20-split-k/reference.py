"""Partial sums and their sum, one element after the other."""
import triton
import triton.language as tl


@triton.jit
def partial_products(a_ptr, b_ptr, partial_ptr, M, N, K, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr, SPLITS: tl.constexpr):
    split = tl.program_id(1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float64)
    for k in range(split * depth, tl.minimum(K, split * depth + depth)):
        total += tl.load(a_ptr + rows * K + k, mask=rows < M, other=0.0) * tl.load(b_ptr + k * N + columns, mask=columns < N, other=0.0)
    tl.store(partial_ptr + split * M * N + rows * N + columns, total, mask=(rows < M) & (columns < N))


@triton.jit
def add_up(partial_ptr, c_ptr, M, N, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    for lane in range(BLOCK):
        element = tl.program_id(0) * BLOCK + lane
        if element < M * N:
            total = tl.load(partial_ptr + element)
            for split in range(1, SPLITS):
                total += tl.load(partial_ptr + split * M * N + element)
            tl.store(c_ptr + element, total)

"""Matrix products with few tiles and long rows: the depth K is split among programs, each of which writes its partial product;
reduce_columns then adds these up. No atomics, so that the result does not depend on the order of the programs."""
import triton
import triton.language as tl


@triton.jit
def split_k_matmul(a_ptr, b_ptr, partial_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, depth, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """partial[s] = a[:, s * depth …] @ b[s * depth …, :] as fp32 [splits, M, N]; depth is a multiple of BLOCK_K.
    Grid: (tiles, splits)."""
    split = tl.program_id(1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    a = a_ptr + rows.to(tl.int64) * a_stride_m
    b = b_ptr + columns.to(tl.int64) * b_stride_n
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(split * depth, min(K, split * depth + depth), BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a_k = k.to(tl.int64)[None, :]
        b_k = k.to(tl.int64)[:, None]
        a_tile = tl.load(a + a_k * a_stride_k, mask=(rows < M) & (a_k < K), other=0.0)
        b_tile = tl.load(b + b_k * b_stride_k, mask=(b_k < K) & (columns < N), other=0.0)
        total = tl.dot(a_tile, b_tile, total, input_precision=PRECISION)
    partial_ptr += split.to(tl.int64) * M * N
    tl.store(partial_ptr + rows.to(tl.int64) * N + columns, total, mask=(rows < M) & (columns < N))

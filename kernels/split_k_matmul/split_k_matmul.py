"""Matrix products with few tiles and long rows: the depth K is split among programs, each of which writes its partial product;
reduce_columns then adds these up. No atomics, so that the result does not depend on the order of the programs."""
import triton
import triton.language as tl


@triton.jit
def split_k_matmul(a_ptr, b_ptr, partial_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, depth, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None, B_LIES: tl.constexpr = None):
    """partial[s] = a[:, s * depth …] @ b[s * depth …, :] as fp32 [splits, M, N]; depth is a multiple of BLOCK_K.
    Grid: (tiles, splits).

    With B_LIES "KN" or "NK" (the order of b in memory, its last axis contiguous) the rows of a and b are multiples of 16 bytes and those of a
    contiguous; TMA brings the blocks."""
    split = tl.program_id(1)
    tiles_n = tl.cdiv(N, BLOCK_N)
    row = tl.program_id(0) // tiles_n * BLOCK_M
    column = tl.program_id(0) % tiles_n * BLOCK_N
    rows = row + tl.arange(0, BLOCK_M)[:, None]
    columns = column + tl.arange(0, BLOCK_N)[None, :]
    if B_LIES is not None:
        a_blocks = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[a_stride_m, 1], block_shape=[BLOCK_M, BLOCK_K])
        if B_LIES == "KN":
            b_blocks = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[b_stride_k, 1], block_shape=[BLOCK_K, BLOCK_N])
        else:
            b_blocks = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[b_stride_n, 1], block_shape=[BLOCK_N, BLOCK_K])
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(split * depth, min(K, split * depth + depth), BLOCK_K):
        if B_LIES is None:
            k = first + tl.arange(0, BLOCK_K)
            a_k = k.to(tl.int64)[None, :]
            b_k = k.to(tl.int64)[:, None]
            a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + a_k * a_stride_k, mask=(rows < M) & (a_k < K), other=0.0)
            b = tl.load(b_ptr + b_k * b_stride_k + columns.to(tl.int64) * b_stride_n, mask=(b_k < K) & (columns < N), other=0.0)
        elif B_LIES == "KN":
            a = a_blocks.load([row, first])
            b = b_blocks.load([first, column])
        else:
            a = a_blocks.load([row, first])
            b = b_blocks.load([column, first]).T
        total = tl.dot(a, b, total, input_precision=PRECISION)
    partial_ptr += split.to(tl.int64) * M * N
    tl.store(partial_ptr + rows.to(tl.int64) * N + columns, total, mask=(rows < M) & (columns < N))

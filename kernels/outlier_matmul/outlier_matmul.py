"""Products of int8 in which a few columns of a are too large for eight bits: those with an element from a threshold on are multiplied as floats, all others as int8 with a scale for each row of a and each column of w (Dettmers and others,
"LLM.int8()"). Both parts meet in one accumulator of fp32, and how many columns there are never leaves the device."""
import triton
import triton.language as tl


@triton.jit
def outlier_columns(a_ptr, flags_ptr, M, K, a_stride_m, threshold, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    """flags[k] (int8): whether some |a[m, k]| is threshold or more; a threshold of 0 finds none. Grid: (blocks of K)."""
    k = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)
    largest = tl.zeros((BLOCK_M, BLOCK_K), tl.float32)
    for first in range(0, M, BLOCK_M):
        rows = first + tl.arange(0, BLOCK_M)
        a = tl.load(a_ptr + rows.to(tl.int64)[:, None] * a_stride_m + k[None, :], mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
        largest = tl.maximum(largest, tl.abs(a.to(tl.float32)))
    found = (tl.max(largest, axis=0) >= threshold) & (threshold > 0.0)
    tl.store(flags_ptr + k, found.to(tl.int8), mask=k < K)


@triton.jit
def quantize_others(a_ptr, flags_ptr, q_ptr, scale_ptr, K, a_stride_m, BLOCK: tl.constexpr):
    """q = a / scale rounded to int8, 0 in the columns with a flag; scale[m]: the largest magnitude of the others over 127. One program a row."""
    row = tl.program_id(0).to(tl.int64)
    a_ptr += row * a_stride_m
    largest = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, K, BLOCK):
        k = first + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + k, mask=k < K, other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.where(tl.load(flags_ptr + k, mask=k < K, other=1) != 0, 0.0, tl.abs(a)))
    scale = tl.max(largest, axis=0) / 127
    tl.store(scale_ptr + row, scale)
    divisor = tl.where(scale == 0.0, 1.0, scale)
    for first in range(0, K, BLOCK):
        k = first + tl.arange(0, BLOCK)
        share = tl.load(a_ptr + k, mask=k < K, other=0.0).to(tl.float32) / divisor
        rounded = tl.floor(share + 0.5)
        rounded -= tl.where((rounded - share == 0.5) & (tl.floor(rounded / 2) * 2 != rounded), 1.0, 0.0)  # halves to even
        q = tl.where(tl.load(flags_ptr + k, mask=k < K, other=1) != 0, 0.0, rounded)
        tl.store(q_ptr + row * K + k, q.to(tl.int8), mask=k < K)


@triton.jit
def outlier_matmul(q_ptr, w_ptr, q_scale_ptr, w_scale_ptr, a_ptr, places_ptr, number_ptr, c_ptr, M, N, K, a_stride_m, w_stride_k, w_stride_n, c_stride_m, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr, BLOCK_O: tl.constexpr, GROUP_M: tl.constexpr, PRECISION: tl.constexpr = None, BLOCKS: tl.constexpr = False):
    """c[m, n] = q_scale[m] * w_scale[n] * sum(q[m, k] * w[k, n]) + the sum of a[m, k] * w[k, n] * w_scale[n] over the k = places[0 … number[0]], BLOCK_O of them at a time. q: int8 [M, K], contiguous; w: int8 [K, N].
    With BLOCKS K is a multiple of 16 and w lies along K (w_stride_k is 1) in rows that are, too: blocks are described, for TMA. One program a tile of c."""
    tile_m, tile_n = tl.swizzle2d(0, tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    w_columns = w_ptr + columns.to(tl.int64) * w_stride_n
    exact = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    if BLOCKS:
        q_blocks = tl.make_tensor_descriptor(q_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
        w_blocks = tl.make_tensor_descriptor(w_ptr, shape=[N, K], strides=[w_stride_n, 1], block_shape=[BLOCK_N, BLOCK_K])
        for first in range(0, K, BLOCK_K):
            q = q_blocks.load([tile_m * BLOCK_M, first])
            w = w_blocks.load([tile_n * BLOCK_N, first]).T
            exact = tl.dot(q, w, exact, out_dtype=tl.int32)
    else:
        for first in range(0, K, BLOCK_K):
            k = first + tl.arange(0, BLOCK_K)
            q = tl.load(q_ptr + rows.to(tl.int64) * K + k[None, :], mask=(rows < M) & (k < K)[None, :], other=0)
            w = tl.load(w_columns + k.to(tl.int64)[:, None] * w_stride_k, mask=(k < K)[:, None] & (columns < N), other=0)
            exact = tl.dot(q, w, exact, out_dtype=tl.int32)
    total = exact.to(tl.float32) * tl.load(q_scale_ptr + rows, mask=rows < M, other=0.0)
    number = tl.load(number_ptr)
    for first in range(0, number, BLOCK_O):
        i = first + tl.arange(0, BLOCK_O)
        k = tl.load(places_ptr + i, mask=i < number, other=0).to(tl.int64)
        a = tl.load(a_ptr + rows.to(tl.int64) * a_stride_m + k[None, :], mask=(rows < M) & (i < number)[None, :], other=0.0)
        w = tl.load(w_columns + k[:, None] * w_stride_k, mask=(i < number)[:, None] & (columns < N), other=0)
        total = tl.dot(a, w.to(a.dtype), total, input_precision=PRECISION)
    total *= tl.load(w_scale_ptr + columns, mask=columns < N, other=0.0)
    tl.store(c_ptr + rows.to(tl.int64) * c_stride_m + columns, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))

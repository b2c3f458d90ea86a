"""Products of int8 matrices, exact in int32, scaled for each row of a and each column of b:
c[i, j] = a_scale[i] * b_scale[j] * sum(a[i, k] * b[k, j]). Without scales the sums are stored as they are."""
import triton
import triton.language as tl


@triton.jit
def int8_matmul(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, a_stride_m, a_stride_k, b_stride_k, b_stride_n, c_stride_m,
                c_stride_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr = 8):
    """One program a tile of c, in groups of GROUP_M rows of tiles, which share the cache. a_scale (M elements) and b_scale (N) are both
    given or both None."""
    tile_m, tile_n = tl.swizzle2d(0, tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    a = a_ptr + rows.to(tl.int64) * a_stride_m
    b = b_ptr + columns.to(tl.int64) * b_stride_n
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a_k = k.to(tl.int64)[None, :]
        b_k = k.to(tl.int64)[:, None]
        a_tile = tl.load(a + a_k * a_stride_k, mask=(rows < M) & (a_k < K), other=0)
        b_tile = tl.load(b + b_k * b_stride_k, mask=(b_k < K) & (columns < N), other=0)
        total = tl.dot(a_tile, b_tile, total, out_dtype=tl.int32)
    if a_scale_ptr is not None:
        a_scale = tl.load(a_scale_ptr + rows, mask=rows < M, other=0.0).to(tl.float32)
        b_scale = tl.load(b_scale_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
        total = total.to(tl.float32) * a_scale * b_scale
    c = c_ptr + rows.to(tl.int64) * c_stride_m + columns.to(tl.int64) * c_stride_n
    tl.store(c, total.to(c_ptr.dtype.element_ty), mask=(rows < M) & (columns < N))

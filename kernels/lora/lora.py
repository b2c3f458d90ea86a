"""Products of runs of rows with a matrix each: what low-rank adapters (LoRA) of many users in one batch need. The rows of segment s, starts[s] … starts[s + 1] - 1, meet the matrix number
adapters[s] of a stack; one with a negative number is left out. x @ A^T (shrink) and then @ B^T added to the result (expand) are the same kernel. Segments of one row are decoding (BGMV), longer
ones prefill (SGMV)."""
import triton
import triton.language as tl


@triton.jit
def lora(x_ptr, w_ptr, starts_ptr, adapters_ptr, y_ptr, scale, x_row_stride, w_stride_n, w_row_stride, y_row_stride, N, K, ADD: tl.constexpr, BLOCK_M: tl.constexpr,
         BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """y[rows] = scale * x[rows] @ w[adapter]^T, added to y with ADD; w is [adapters, N, K] with contiguous rows. Without ADD, rows without an adapter become 0. Grid: (blocks of BLOCK_N, blocks of BLOCK_M rows of
    the longest segment, segments)."""
    start = tl.load(starts_ptr + tl.program_id(2))
    end = tl.load(starts_ptr + tl.program_id(2) + 1)
    adapter = tl.load(adapters_ptr + tl.program_id(2))
    rows = start + tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    if ADD:
        has_work = (start + tl.program_id(1) * BLOCK_M < end) & (adapter >= 0)
    else:
        has_work = start + tl.program_id(1) * BLOCK_M < end
    if has_work:
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        w_ptr += tl.maximum(adapter, 0).to(tl.int64) * w_stride_n
        row_inside = (rows < end) & (adapter >= 0)
        for first in range(0, K, BLOCK_K):
            k = first + tl.arange(0, BLOCK_K)
            x = tl.load(x_ptr + rows.to(tl.int64)[:, None] * x_row_stride + k[None, :], mask=row_inside[:, None] & (k < K)[None, :], other=0.0)
            w = tl.load(w_ptr + columns.to(tl.int64)[:, None] * w_row_stride + k[None, :], mask=((columns < N) & (adapter >= 0))[:, None] & (k < K)[None, :], other=0.0)
            total = tl.dot(x, tl.trans(w.to(x.dtype)), total, input_precision=PRECISION)
        places = y_ptr + rows.to(tl.int64)[:, None] * y_row_stride + columns[None, :]
        inside = (rows < end)[:, None] & (columns < N)[None, :]
        total *= scale
        if ADD:
            total += tl.load(places, mask=inside, other=0.0).to(tl.float32)
        tl.store(places, total.to(y_ptr.dtype.element_ty), mask=inside)

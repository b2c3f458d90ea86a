"""out[b, j, i] = x[b, i, j]: a batch of matrices whose rows are contiguous, tile by tile, so that both sides are read and
written in whole lines."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, n_rows, n_columns, x_batch_stride, x_row_stride, out_batch_stride, out_row_stride,
              BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr, CACHE: tl.constexpr = ""):
    """Grid: (tiles across the columns of x, tiles down its rows, batch)."""
    batch = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(1).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    columns = tl.program_id(0).to(tl.int64) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    x_ptr += batch * x_batch_stride
    out_ptr += batch * out_batch_stride
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + columns[None, :], mask=(rows[:, None] < n_rows) & (columns[None, :] < n_columns))
    tl.store(out_ptr + columns[:, None] * out_row_stride + rows[None, :], tl.trans(x),
             mask=(columns[:, None] < n_columns) & (rows[None, :] < n_rows), cache_modifier=CACHE)

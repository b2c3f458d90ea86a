"""out[i, j] = x[i, j] + y[i, j] for any strides of x and y; out lies row after row. The grid is (tiles down, tiles across)."""
import triton
import triton.language as tl


@triton.jit
def add_2d(x_ptr, y_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, y_stride_row, y_stride_column,
           BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    # YOUR CODE

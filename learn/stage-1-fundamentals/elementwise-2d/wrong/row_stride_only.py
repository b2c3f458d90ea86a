# expect: of 1200 elements, 1170 are wrong
"""The column strides are left out, since they are 1 so often."""
import triton
import triton.language as tl


@triton.jit
def add_2d(x_ptr, y_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, y_stride_row, y_stride_column,
           BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * x_stride_row + j[None, :], mask=inside)
    y = tl.load(y_ptr + i[:, None] * y_stride_row + j[None, :], mask=inside)
    tl.store(out_ptr + i[:, None] * columns + j[None, :], x + y, mask=inside)

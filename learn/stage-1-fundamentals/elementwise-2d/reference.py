"""out[i, j] = x[i, j] + y[i, j], one row a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def add_2d(x_ptr, y_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, y_stride_row, y_stride_column,
           BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0)
    for j in range(columns):
        x = tl.load(x_ptr + i * x_stride_row + j * x_stride_column)
        y = tl.load(y_ptr + i * y_stride_row + j * y_stride_column)
        tl.store(out_ptr + i * columns + j, x + y)

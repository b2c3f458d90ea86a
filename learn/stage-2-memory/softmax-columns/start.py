"""Softmax of the columns of a matrix that lies row after row, BLOCK_COLUMNS of them for each program; columns are longer than BLOCK_ROWS."""
import triton
import triton.language as tl


@triton.jit
def softmax_columns(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    j = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    top = tl.full((BLOCK_COLUMNS,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_COLUMNS,), tl.float32)
    # YOUR CODE: one pass for top and total, a second one that writes

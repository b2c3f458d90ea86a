# expect: the load reads
"""Rows of the matrix are taken to be as long as rows of the tile."""
import triton
import triton.language as tl


@triton.jit
def scale_matrices(x_ptr, factor_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    matrix = tl.program_id(2)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    factor = tl.load(factor_ptr + matrix)
    x = tl.load(x_ptr + matrix * rows * columns + i[:, None] * BLOCK_COLUMNS + j[None, :], mask=inside)
    tl.store(out_ptr + matrix * rows * columns + i[:, None] * columns + j[None, :], x * factor, mask=inside)

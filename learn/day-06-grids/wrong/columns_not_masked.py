# expect: writes it too
"""The columns are not masked: what is too far to the right lies in the next row, where another program writes."""
import triton
import triton.language as tl


@triton.jit
def scale_matrices(x_ptr, factor_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    matrix = tl.program_id(2)
    places = matrix * rows * columns + i[:, None] * columns + j[None, :]
    inside = i[:, None] < rows
    factor = tl.load(factor_ptr + matrix)
    x = tl.load(x_ptr + places, mask=inside)
    tl.store(out_ptr + places, x * factor, mask=inside)

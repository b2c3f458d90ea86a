# expect: do not broadcast
"""The two ranges are added as they are: their lengths do not fit together."""
import triton
import triton.language as tl


@triton.jit
def scale_matrices(x_ptr, factor_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    matrix = tl.program_id(2)
    places = matrix * rows * columns + i * columns + j
    inside = (i < rows) & (j < columns)
    factor = tl.load(factor_ptr + matrix)
    x = tl.load(x_ptr + places, mask=inside)
    tl.store(out_ptr + places, x * factor, mask=inside)

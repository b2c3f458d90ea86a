"""out[b, i, j] = x[b, i, j] * factor[b] for a batch of matrices that lie one behind the other."""
import triton
import triton.language as tl


@triton.jit
def scale_matrices(x_ptr, factor_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    matrix = tl.program_id(2)
    # From the slowest axis to the fastest: whole matrices, whole rows, single elements.
    places = matrix * rows * columns + i[:, None] * columns + j[None, :]
    # Both conditions: a column too far would be in the next row, a row too far in the next matrix.
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    # One address, one number; the product spreads it over the tile.
    factor = tl.load(factor_ptr + matrix)
    x = tl.load(x_ptr + places, mask=inside)
    tl.store(out_ptr + places, x * factor, mask=inside)

"""Day 6: out[b, i, j] = x[b, i, j] * factor[b] for a batch of matrices that lie one behind the other.

The grid is (tiles down, tiles across, matrices)."""
import triton
import triton.language as tl


@triton.jit
def scale_matrices(x_ptr, factor_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    matrix = tl.program_id(2)
    # YOUR CODE: the places of the tile in memory, the mask, the factor; then load, multiply and store

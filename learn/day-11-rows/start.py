"""Day 11: the mean, the variance and the column of the largest element of each row.

Each program takes BLOCK_ROWS whole rows: columns <= BLOCK_COLUMNS."""
import triton
import triton.language as tl


@triton.jit
def row_stats(x_ptr, mean_ptr, variance_ptr, largest_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=0.0)
    # YOUR CODE: three results for each row, stored at mean_ptr + i, variance_ptr + i and largest_ptr + i

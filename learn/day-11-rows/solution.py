"""The mean, the variance and the column of the largest element of each row."""
import triton
import triton.language as tl


@triton.jit
def row_stats(x_ptr, mean_ptr, variance_ptr, largest_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=0.0)
    # Divided by the columns that are there, not by those of the tile.
    mean = tl.sum(x, axis=1) / columns
    # A lane that is not there has the distance -mean: out with it before it is squared and added.
    distance = tl.where(inside, x - mean[:, None], 0.0)
    variance = tl.sum(distance * distance, axis=1) / columns
    # It must not win either, not even against negative numbers.
    largest = tl.argmax(tl.where(inside, x, -float("inf")), axis=1)
    tl.store(mean_ptr + i, mean, mask=i < rows)
    tl.store(variance_ptr + i, variance, mask=i < rows)
    tl.store(largest_ptr + i, largest, mask=i < rows)

# expect: shapes [4, 16] and [16, 1] do not broadcast
"""axis=0 reduces the columns: the result has as many elements as the tile has columns."""
import triton
import triton.language as tl


@triton.jit
def row_stats(x_ptr, mean_ptr, variance_ptr, largest_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    distance = tl.where(inside, x - mean[:, None], 0.0)
    variance = tl.sum(distance * distance, axis=0) / columns
    largest = tl.argmax(tl.where(inside, x, -float("inf")), axis=0)
    tl.store(mean_ptr + i, mean, mask=i < rows)
    tl.store(variance_ptr + i, variance, mask=i < rows)
    tl.store(largest_ptr + i, largest, mask=i < rows)

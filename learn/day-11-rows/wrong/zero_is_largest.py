# expect: `largest_ptr[0]` is 20, but 0 is expected
"""Among negative numbers the zeros of the missing lanes are the largest."""
import triton
import triton.language as tl


@triton.jit
def row_stats(x_ptr, mean_ptr, variance_ptr, largest_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=0.0)
    mean = tl.sum(x, axis=1) / columns
    distance = tl.where(inside, x - mean[:, None], 0.0)
    variance = tl.sum(distance * distance, axis=1) / columns
    largest = tl.argmax(x, axis=1)
    tl.store(mean_ptr + i, mean, mask=i < rows)
    tl.store(variance_ptr + i, variance, mask=i < rows)
    tl.store(largest_ptr + i, largest, mask=i < rows)

"""One row a program: its mean, its variance, the column of its largest element (the first of equals)."""
import triton
import triton.language as tl


@triton.jit
def row_stats(x_ptr, mean_ptr, variance_ptr, largest_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0)
    x_ptr += i * columns
    total = tl.zeros((), tl.float64)
    best = tl.load(x_ptr)
    place = 0
    for j in range(columns):
        x = tl.load(x_ptr + j)
        total += x
        if x > best:
            best = x
            place = j
    mean = total / columns
    squares = tl.zeros((), tl.float64)
    for j in range(columns):
        distance = tl.load(x_ptr + j) - mean
        squares += distance * distance
    tl.store(mean_ptr + i, mean)
    tl.store(variance_ptr + i, squares / columns)
    tl.store(largest_ptr + i, place)

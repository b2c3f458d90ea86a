"""Reductions of the rows or the columns of a matrix: sum, product, max, min, argmax, argmin, mean and variance. Narrow floats are
computed in fp32, narrow integers in int32. NaN counts in sums; max, min, argmax and argmin pass over it."""
import triton
import triton.language as tl


@triton.jit
def widened(x):
    if x.dtype.primitive_bitwidth < 32:
        x = x.to(tl.float32 if x.dtype.is_floating() else tl.int32)
    return x


@triton.jit
def combine(a, b, KIND: tl.constexpr):
    if KIND == "sum":
        result = a + b
    elif KIND == "prod":
        result = a * b
    elif KIND == "max":
        result = tl.maximum(a, b)
    else:
        tl.static_assert(KIND == "min")
        result = tl.minimum(a, b)
    return result


@triton.jit
def product_of_two(a, b):
    return a * b


@triton.jit
def reduced(x, axis: tl.constexpr, KIND: tl.constexpr):
    if KIND == "sum":
        result = tl.sum(x, axis=axis)
    elif KIND == "prod":
        result = tl.reduce(x, axis, product_of_two)
    elif KIND == "max":
        result = tl.max(x, axis=axis)
    else:
        result = tl.min(x, axis=axis)
    return result


@triton.jit
def reduce_rows(x_ptr, out_ptr, x_row_stride, n_columns, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """One program a row. KIND: "sum", "prod", "max" or "min"; the latter two need a column."""
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * x_row_stride
    columns = tl.arange(0, BLOCK)
    # What does not change the result: 0 for a sum, 1 for a product, else some element of the row, so that every type works.
    if KIND == "sum":
        start = tl.zeros((), x_ptr.dtype.element_ty)
    elif KIND == "prod":
        start = tl.full((), 1, x_ptr.dtype.element_ty)
    else:
        start = tl.load(x_ptr)
    total = tl.full((BLOCK, ), widened(start), widened(start).dtype)
    for first in range(0, n_columns, BLOCK):
        x = tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=start)
        total = combine(total, widened(x), KIND)
    tl.store(out_ptr + row, reduced(total, 0, KIND).to(out_ptr.dtype.element_ty))


@triton.jit
def reduce_columns(x_ptr, out_ptr, x_row_stride, n_rows, n_columns, KIND: tl.constexpr, BLOCK_ROWS: tl.constexpr,
                   BLOCK_COLUMNS: tl.constexpr):
    """One program for each BLOCK_COLUMNS columns. KIND: "sum", "prod", "max" or "min"; the latter two need a row."""
    columns = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    if KIND == "sum":
        start = tl.zeros((BLOCK_COLUMNS, ), x_ptr.dtype.element_ty)
    elif KIND == "prod":
        start = tl.full((BLOCK_COLUMNS, ), 1, x_ptr.dtype.element_ty)
    else:
        start = tl.load(x_ptr + columns, mask=columns < n_columns, other=0)
    total = tl.broadcast_to(widened(start)[None, :], (BLOCK_ROWS, BLOCK_COLUMNS))
    for first in range(0, n_rows, BLOCK_ROWS):
        rows = first + tl.arange(0, BLOCK_ROWS)
        inside = (rows[:, None] < n_rows) & (columns[None, :] < n_columns)
        x = tl.load(x_ptr + rows.to(tl.int64)[:, None] * x_row_stride + columns[None, :], mask=inside, other=start[None, :])
        total = combine(total, widened(x), KIND)
    tl.store(out_ptr + columns, reduced(total, 0, KIND).to(out_ptr.dtype.element_ty), mask=columns < n_columns)


@triton.jit
def arg_rows(x_ptr, out_ptr, x_row_stride, n_columns, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """The column of the largest (KIND "max") or smallest ("min") element of each row, the first one of equals; 0 where all are
    NaN. One program a row, which needs a column."""
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * x_row_stride
    columns = tl.arange(0, BLOCK)
    start = tl.load(x_ptr)
    best = tl.full((BLOCK, ), widened(start), widened(start).dtype)
    place = tl.zeros((BLOCK, ), tl.int32)
    for first in range(0, n_columns, BLOCK):
        x = widened(tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=start))
        if KIND == "max":
            better = (x > best) | (best != best)
        else:
            better = (x < best) | (best != best)
        better = better & (first + columns < n_columns)
        best = tl.where(better, x, best)
        place = tl.where(better, first + columns, place)
    winner = tl.min(tl.where(best == reduced(best, 0, KIND), place, n_columns), axis=0)
    tl.store(out_ptr + row, tl.where(winner == n_columns, 0, winner).to(out_ptr.dtype.element_ty))


@triton.jit
def variance_rows(x_ptr, mean_ptr, variance_ptr, x_row_stride, n_columns, correction, BLOCK: tl.constexpr):
    """In two passes: the mean, then the mean of the squared distances, divided by n_columns - correction."""
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * x_row_stride
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        total += tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n_columns
    squares = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        distance = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32) - mean
        squares += tl.where(inside, distance * distance, 0.0)
    tl.store(mean_ptr + row, mean)
    tl.store(variance_ptr + row, tl.sum(squares, axis=0) / (n_columns - correction))


@triton.jit
def merge_moments(mean_a, squares_a, count_a, mean_b, squares_b, count_b):
    """Count, mean and sum of squared distances of two sets together (Chan, Golub and LeVeque)."""
    count = count_a + count_b
    share = tl.where(count == 0.0, 0.0, count_b / tl.maximum(count, 1.0))
    distance = mean_b - mean_a
    return mean_a + distance * share, squares_a + squares_b + distance * distance * count_a * share, count


@triton.jit
def welford_rows(x_ptr, mean_ptr, variance_ptr, x_row_stride, n_columns, correction, BLOCK: tl.constexpr):
    """In one pass (Welford): each lane keeps the moments of what it has seen, and the lanes are merged at the end."""
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * x_row_stride
    columns = tl.arange(0, BLOCK)
    mean = tl.zeros((BLOCK, ), tl.float32)
    squares = tl.zeros((BLOCK, ), tl.float32)
    count = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        seen = (first // BLOCK + 1).to(tl.float32)  # by every lane that is still inside
        distance = x - mean
        moved = mean + distance / seen
        squares = tl.where(inside, squares + distance * (x - moved), squares)
        mean = tl.where(inside, moved, mean)
        count = tl.where(inside, seen, count)
    row_mean, row_squares, _ = tl.reduce((mean, squares, count), 0, merge_moments)
    tl.store(mean_ptr + row, row_mean)
    tl.store(variance_ptr + row, row_squares / (n_columns - correction))

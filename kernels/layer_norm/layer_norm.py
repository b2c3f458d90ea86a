"""Layer norm over the last dimension, forward and backward, for rows of any length."""
import triton
import triton.language as tl


@triton.jit
def layer_norm_forward(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, row_stride, n_columns, eps,
                       BLOCK: tl.constexpr):
    """One program a row. Keeps the mean and 1 / standard deviation for the backward pass."""
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * row_stride
    out_ptr += row.to(tl.int64) * row_stride
    columns = tl.arange(0, BLOCK)

    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        total += tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n_columns

    # The second pass subtracts the mean first: the sum of squares minus the squared mean would cancel.
    squares = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        centred = tl.where(inside, x - mean, 0.0)
        squares += centred * centred
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n_columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        bias = tl.load(bias_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        result = (x - mean) * rstd * weight + bias
        tl.store(out_ptr + first + columns, result.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm_backward(grad_x_ptr, partial_weight_ptr, partial_bias_ptr, grad_out_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr,
                        row_stride, n_rows, n_columns, BLOCK: tl.constexpr):
    """BLOCK >= n_columns. Each program takes every num_programs-th row, writes the gradients of those rows of x, and adds
    up its share of the gradients of weight and bias in row program_id of the partial sums: no atomics, so that the result
    does not depend on the order of the programs."""
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    weight = tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    grad_weight = tl.zeros((BLOCK, ), tl.float32)
    grad_bias = tl.zeros((BLOCK, ), tl.float32)
    for row in range(program, n_rows, tl.num_programs(0)):
        start = row.to(tl.int64) * row_stride
        x = tl.load(x_ptr + start + columns, mask=inside, other=0.0).to(tl.float32)
        grad_out = tl.load(grad_out_ptr + start + columns, mask=inside, other=0.0).to(tl.float32)
        mean = tl.load(mean_ptr + row)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(inside, (x - mean) * rstd, 0.0)
        scaled = grad_out * weight
        along_normal = tl.sum(normal * scaled, axis=0) / n_columns
        along_mean = tl.sum(scaled, axis=0) / n_columns
        grad_x = (scaled - normal * along_normal - along_mean) * rstd
        tl.store(grad_x_ptr + start + columns, grad_x.to(grad_x_ptr.dtype.element_ty), mask=inside)
        grad_weight += grad_out * normal
        grad_bias += grad_out
    tl.store(partial_weight_ptr + program.to(tl.int64) * n_columns + columns, grad_weight, mask=inside)
    tl.store(partial_bias_ptr + program.to(tl.int64) * n_columns + columns, grad_bias, mask=inside)


@triton.jit
def layer_norm_sum_partials(partial_ptr, out_ptr, n_partials, n_columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    """Adds up the rows of a matrix of partial sums."""
    columns = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    total = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), tl.float32)
    for first in range(0, n_partials, BLOCK_ROWS):
        rows = first + tl.arange(0, BLOCK_ROWS)
        inside = (rows[:, None] < n_partials) & (columns[None, :] < n_columns)
        total += tl.load(partial_ptr + rows[:, None] * n_columns + columns[None, :], mask=inside, other=0.0)
    result = tl.sum(total, axis=0)
    tl.store(out_ptr + columns, result.to(out_ptr.dtype.element_ty), mask=columns < n_columns)

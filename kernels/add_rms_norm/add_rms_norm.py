"""A residual sum and its RMS norm in one pass, forward and backward, in fp32 inside: sum = x + residual, out = sum * rstd * weight, where rstd is
1 / sqrt(mean(sum^2) + eps). The sum is rounded to its type before the norm, as two steps would."""
import triton
import triton.language as tl


@triton.jit
def add_rms_norm_forward(x_ptr, residual_ptr, weight_ptr, out_ptr, sum_ptr, rstd_ptr, x_row_stride, residual_row_stride, out_row_stride,
                         sum_row_stride, n_columns, eps, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """One program a row; BLOCK >= n_columns. sum may be residual itself, out may be x."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + row * residual_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)  # on its way while the row is summed up
    rounded = (x + residual).to(sum_ptr.dtype.element_ty)
    tl.store(sum_ptr + row * sum_row_stride + columns, rounded, mask=inside, cache_modifier=CACHE)
    total = rounded.to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(total * total, axis=0) / n_columns + eps)
    tl.store(rstd_ptr + row, rstd)
    result = total * rstd * weight
    tl.store(out_ptr + row * out_row_stride + columns, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def add_rms_norm_forward_long(x_ptr, residual_ptr, weight_ptr, out_ptr, sum_ptr, rstd_ptr, x_row_stride, residual_row_stride, out_row_stride,
                              sum_row_stride, n_columns, eps, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """One program a row of any length; the sum is read again for the norm."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    residual_ptr += row * residual_row_stride
    sum_ptr += row * sum_row_stride
    out_ptr += row * out_row_stride
    columns = tl.arange(0, BLOCK)
    squares = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        residual = tl.load(residual_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        rounded = (x + residual).to(sum_ptr.dtype.element_ty)
        tl.store(sum_ptr + first + columns, rounded, mask=inside)
        squares += rounded.to(tl.float32) * rounded.to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n_columns + eps)
    tl.store(rstd_ptr + row, rstd)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        total = tl.load(sum_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        result = total * rstd * tl.load(weight_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_ptr + first + columns, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def add_rms_norm_backward(grad_out_ptr, grad_sum_ptr, sum_ptr, weight_ptr, rstd_ptr, grad_ptr, partial_weight_ptr, grad_out_row_stride,
                          grad_sum_row_stride, sum_row_stride, grad_row_stride, n_rows, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """grad is the gradient of x and of residual alike: that of the norm plus grad_sum, which comes from where the sum goes on (or None).
    BLOCK >= n_columns. Each program takes every num_programs-th row and one row of the partial sums for the weight, whose columns are
    summed by reduce_columns."""
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    weight = tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    grad_weight = tl.zeros((BLOCK, ), tl.float32)
    for row in range(program, n_rows, tl.num_programs(0)):
        wide_row = row.to(tl.int64)
        total = tl.load(sum_ptr + wide_row * sum_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
        grad_out = tl.load(grad_out_ptr + wide_row * grad_out_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        normal = total * rstd
        scaled = grad_out * weight
        grad = (scaled - normal * (tl.sum(normal * scaled, axis=0) / n_columns)) * rstd
        if grad_sum_ptr is not None:
            grad += tl.load(grad_sum_ptr + wide_row * grad_sum_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(grad_ptr + wide_row * grad_row_stride + columns, grad.to(grad_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
        grad_weight += grad_out * normal
    tl.store(partial_weight_ptr + program.to(tl.int64) * n_columns + columns, grad_weight, mask=inside)

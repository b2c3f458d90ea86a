"""RMS norm over the last dimension, forward and backward, in fp32 inside: out = x * rstd * weight, where rstd is
1 / sqrt(mean(x^2) + eps)."""
import triton
import triton.language as tl


@triton.jit
def rms_norm_forward(x_ptr, weight_ptr, out_ptr, rstd_ptr, x_row_stride, out_row_stride, n_columns, eps, BLOCK: tl.constexpr,
                     CACHE: tl.constexpr = ""):
    """One program a row; BLOCK >= n_columns. Keeps rstd for the backward pass."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    x = tl.load(x_ptr + row.to(tl.int64) * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)  # on its way while the row is summed up
    rstd = 1 / tl.sqrt(tl.sum(x * x, axis=0) / n_columns + eps)
    tl.store(rstd_ptr + row, rstd)
    result = x * rstd * weight
    tl.store(out_ptr + row.to(tl.int64) * out_row_stride + columns, result.to(out_ptr.dtype.element_ty), mask=inside,
             cache_modifier=CACHE)


@triton.jit
def rms_norm_forward_long(x_ptr, weight_ptr, out_ptr, rstd_ptr, x_row_stride, out_row_stride, n_columns, eps, BLOCK: tl.constexpr,
                          CACHE: tl.constexpr = ""):
    """One program a row of any length, which is read twice."""
    row = tl.program_id(0)
    x_ptr += row.to(tl.int64) * x_row_stride
    out_ptr += row.to(tl.int64) * out_row_stride
    columns = tl.arange(0, BLOCK)
    squares = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        x = tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=0.0).to(tl.float32)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n_columns + eps)
    tl.store(rstd_ptr + row, rstd)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        result = x * rstd * tl.load(weight_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_ptr + first + columns, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def rms_norm_backward(grad_out_ptr, x_ptr, weight_ptr, rstd_ptr, grad_x_ptr, partial_weight_ptr, grad_out_row_stride, x_row_stride,
                      grad_x_row_stride, n_rows, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """BLOCK >= n_columns. Each program takes every num_programs-th row, writes the gradients of those rows of x, and adds up
    its share of the gradient of weight in row program_id of the partial sums, whose columns are summed by reduce_columns."""
    program = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    weight = tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    grad_weight = tl.zeros((BLOCK, ), tl.float32)
    for row in range(program, n_rows, tl.num_programs(0)):
        wide_row = row.to(tl.int64)
        x = tl.load(x_ptr + wide_row * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
        grad_out = tl.load(grad_out_ptr + wide_row * grad_out_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
        rstd = tl.load(rstd_ptr + row)
        normal = x * rstd
        scaled = grad_out * weight
        along_normal = tl.sum(normal * scaled, axis=0) / n_columns
        grad_x = (scaled - normal * along_normal) * rstd
        tl.store(grad_x_ptr + wide_row * grad_x_row_stride + columns, grad_x.to(grad_x_ptr.dtype.element_ty), mask=inside,
                 cache_modifier=CACHE)
        grad_weight += grad_out * normal
    tl.store(partial_weight_ptr + program.to(tl.int64) * n_columns + columns, grad_weight, mask=inside)

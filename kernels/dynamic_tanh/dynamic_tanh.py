"""The dynamic tanh of Zhu and others ("Transformers without normalization"), which stands in place of a norm: out = weight * tanh(alpha * x) + bias, forward and backward. alpha is one number, weight and bias are of columns."""
import triton
import triton.language as tl


@triton.jit
def squashed(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def dynamic_tanh(x_ptr, alpha_ptr, weight_ptr, bias_ptr, out_ptr, x_row_stride, out_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """bias may be None. Grid: (rows, blocks of columns)."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_columns
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    out = squashed(tl.load(alpha_ptr).to(tl.float32) * x) * tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    if bias_ptr is not None:
        out += tl.load(bias_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * out_row_stride + columns, out.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def dynamic_tanh_backward(grad_out_ptr, x_ptr, alpha_ptr, weight_ptr, grad_x_ptr, grad_alpha_ptr, grad_weight_ptr, grad_bias_ptr, grad_out_row_stride, x_row_stride, grad_x_row_stride, n_rows, n_columns,
                          BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """grad_x, and shares of the other gradients, fp32: grad_weight and grad_bias (or None) [programs, columns], grad_alpha [programs, blocks]. Grid: (programs, blocks of columns); a program has every num_programs(0)-th row."""
    program = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_columns
    alpha = tl.load(alpha_ptr).to(tl.float32)
    weight = tl.load(weight_ptr + columns, mask=inside, other=0.0).to(tl.float32)
    of_weight = tl.zeros((BLOCK, ), tl.float32)
    of_bias = tl.zeros((BLOCK, ), tl.float32)
    of_alpha = tl.zeros((BLOCK, ), tl.float32)
    for row in range(program, n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
        grad_out = tl.load(grad_out_ptr + row * grad_out_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
        value = squashed(alpha * x)
        slope = grad_out * weight * (1 - value * value)
        of_weight += grad_out * value
        of_bias += grad_out
        of_alpha += slope * x
        tl.store(grad_x_ptr + row * grad_x_row_stride + columns, (slope * alpha).to(grad_x_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)
    tl.store(grad_weight_ptr + program * n_columns + columns, of_weight, mask=inside)
    if grad_bias_ptr is not None:
        tl.store(grad_bias_ptr + program * n_columns + columns, of_bias, mask=inside)
    tl.store(grad_alpha_ptr + program * tl.num_programs(1) + tl.program_id(1), tl.sum(of_alpha, axis=0))

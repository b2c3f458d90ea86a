"""The logarithm of softmax, sparsemax, and the dynamic tanh."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, empty, on_gpu, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, VECTOR_BLOCK, cache_modifier, cdiv, launch, multiprocessors, power_of_two, warps


def _forward(kernel, x, out):
    x, flat = as_rows(x), as_rows(out)
    rows, columns = x.shape
    block = min(LONG_BLOCK, power_of_two(columns))
    launch("softmax", kernel, (rows if columns else 0, ), x, flat, strides(x)[0], columns, columns, block, cache_modifier(out), num_warps=warps(block))


@op("grad_x")
def of_rows_backward(grad_out: Array, out: Array, kernel: str):
    """The gradient of a function of rows from that of its result and the result itself."""
    grad_x = empty(out, out.shape)
    yield grad_x
    grad_out, out, flat = as_rows(grad_out), as_rows(out), as_rows(grad_x)
    rows, columns = out.shape
    block = min(LONG_BLOCK, power_of_two(columns))
    launch("softmax", kernel, (rows if columns else 0, ), grad_out, out, flat, strides(grad_out)[0], strides(out)[0], columns, columns, block, cache_modifier(grad_x), num_warps=warps(block))


@op("out")
def log_softmax(x: Array):
    """x - log(sum(exp(x))) over the last axis."""
    require_floats(x=x)
    out = empty(x, x.shape)
    yield out
    _forward("log_softmax", x, out)


@log_softmax.gradient
def _(grad_out, out):
    return of_rows_backward(grad_out, out, "log_softmax_backward")


@op("out")
def sparsemax(x: Array):
    """The nearest point of the simplex along the last axis: max(x - threshold, 0), which sums to 1 and has zeros."""
    require_floats(x=x)
    out = empty(x, x.shape)
    yield out
    _forward("sparsemax", x, out)


@sparsemax.gradient
def _(grad_out, out):
    return of_rows_backward(grad_out, out, "sparsemax_backward")


@op("out")
def dyt(x: Array, alpha: Array, weight: Array, bias: Array | None = None):
    """weight * tanh(alpha * x) + bias, the dynamic tanh; alpha has one element, weight and bias are of the last axis."""
    require_floats(x=x, alpha=alpha, weight=weight, bias=bias)
    require_shape("alpha", alpha, (1, ))
    require_shape("weight", weight, x.shape[-1:])
    if bias is not None:
        require_shape("bias", bias, weight.shape)
    out = empty(x, x.shape)
    yield out
    x = as_rows(x)
    rows, columns = x.shape
    block = min(VECTOR_BLOCK, power_of_two(columns))
    launch("dynamic_tanh", "dynamic_tanh", (rows, cdiv(columns, block)), x, alpha, contiguous(weight), None if bias is None else contiguous(bias), out, strides(x)[0], columns, columns, block,
           cache_modifier(out), num_warps=warps(block))


@op("grad_x grad_alpha grad_weight grad_bias")
def dyt_backward(grad_out: Array, x: Array, alpha: Array, weight: Array):
    """All gradients."""
    grad_x, grad_alpha, grad_weight, grad_bias = empty(x, x.shape), empty(alpha, (1, )), empty(weight, weight.shape), empty(weight, weight.shape)
    yield grad_x, grad_alpha, grad_weight, grad_bias
    x, grad_out = as_rows(x), as_rows(grad_out)
    rows, columns = x.shape
    block = min(1024, power_of_two(columns))
    programs, blocks = min(max(rows, 1), 2 * multiprocessors(x) if on_gpu(x) else 16), cdiv(columns, block)
    of_weight, of_bias, of_alpha = (empty(x, (programs, width), "float32") for width in (columns, columns, blocks))
    launch("dynamic_tanh", "dynamic_tanh_backward", (programs, blocks), grad_out, x, alpha, contiguous(weight), grad_x, of_alpha, of_weight, of_bias, strides(grad_out)[0], strides(x)[0], columns, rows,
           columns, block, cache_modifier(grad_x), num_warps=warps(block))
    for shares, grad, height, width in ((of_weight, grad_weight, programs, columns), (of_bias, grad_bias, programs, columns), (of_alpha, grad_alpha, programs * blocks, 1)):
        launch("reduce", "reduce_columns", (cdiv(width, 32), ), shares, grad, width, height, width, "sum", 32, 32, num_warps=4)


@dyt.gradient
def _(grad_out, x, alpha, weight, bias):
    grad_x, grad_alpha, grad_weight, grad_bias = dyt_backward(grad_out, x, alpha, weight)
    return grad_x, grad_alpha, grad_weight, None if bias is None else grad_bias

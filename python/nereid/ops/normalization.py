"""Norms and softmax over the last axis."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, empty, on_gpu, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, LONGEST_ROW, cache_modifier, cdiv, launch, power_of_two, warps


def _row_block(columns):
    """(suffix of the kernel, its block) for a row of that length."""
    return ("_long", LONG_BLOCK) if columns > LONGEST_ROW else ("", power_of_two(columns))


def _partial_programs(x, rows):
    return min(rows, 264 if on_gpu(x) else 32)


def sum_of_rows(out, partial):
    """out = the sum of the rows of a contiguous matrix."""
    rows, columns = partial.shape
    launch("reduce", "reduce_columns", (cdiv(columns, 32), ), partial, out, columns, rows, columns, "sum", 32, 32, num_warps=4)


@op("out rstd", shown=1)
def rms_norm(x: Array, weight: Array, eps: float = 1e-6):
    """x / sqrt(mean(x^2) + eps) * weight over the last axis."""
    require_floats(x=x, weight=weight)
    require_shape("weight", weight, x.shape[-1:])
    out, rstd = empty(x, x.shape), empty(x, x.shape[:-1], "float32")
    yield out, rstd
    x, flat = as_rows(x), as_rows(out)
    rows, columns = x.shape
    suffix, block = _row_block(columns)
    launch("rms_norm", f"rms_norm_forward{suffix}", (rows if columns else 0, ), x, contiguous(weight), flat, rstd, strides(x)[0], columns, columns,
           eps, block, cache_modifier(out), num_warps=warps(block))


@op("grad_x grad_weight")
def rms_norm_backward(grad_out: Array, x: Array, weight: Array, rstd: Array):
    """The gradients of x and weight."""
    require_shape("grad_out", grad_out, x.shape)
    grad_x, grad_weight = empty(x, x.shape), empty(weight, weight.shape)
    yield grad_x, grad_weight
    x, grad_out, flat = as_rows(x), as_rows(grad_out), as_rows(grad_x)
    rows, columns = x.shape
    programs, block = _partial_programs(x, rows), power_of_two(columns)
    partial = empty(x, (programs, columns), "float32")
    launch("rms_norm", "rms_norm_backward", (programs if columns else 0, ), grad_out, x, contiguous(weight), contiguous(rstd), flat, partial,
           strides(grad_out)[0], strides(x)[0], columns, rows, columns, block, cache_modifier(grad_x), num_warps=warps(block))
    sum_of_rows(grad_weight, partial)


@rms_norm.gradient
def _(grad_out, x, weight, rstd):
    return rms_norm_backward(grad_out, x, weight, rstd)


@op("out mean rstd", shown=1)
def layer_norm(x: Array, weight: Array, bias: Array | None = None, eps: float = 1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last axis."""
    require_floats(x=x, weight=weight, bias=bias)
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None:
            require_shape(name, each, x.shape[-1:])
    out, mean, rstd = empty(x, x.shape), empty(x, x.shape[:-1], "float32"), empty(x, x.shape[:-1], "float32")
    yield out, mean, rstd
    x, flat = as_rows(x), as_rows(out)
    rows, columns = x.shape
    suffix, block = _row_block(columns)
    launch("layer_norm", f"layer_norm_forward{suffix}", (rows if columns else 0, ), x, contiguous(weight), None if bias is None else contiguous(bias),
           flat, mean, rstd, strides(x)[0], columns, columns, eps, block, cache_modifier(out), num_warps=warps(block))


@op("grad_x grad_weight grad_bias")
def layer_norm_backward(grad_out: Array, x: Array, weight: Array, mean: Array, rstd: Array):
    """The gradients of x, weight and bias."""
    require_shape("grad_out", grad_out, x.shape)
    grad_x, grad_weight, grad_bias = empty(x, x.shape), empty(weight, weight.shape), empty(weight, weight.shape)
    yield grad_x, grad_weight, grad_bias
    x, grad_out, flat = as_rows(x), as_rows(grad_out), as_rows(grad_x)
    rows, columns = x.shape
    programs, block = _partial_programs(x, rows), power_of_two(columns)
    partial_weight, partial_bias = (empty(x, (programs, columns), "float32") for _ in range(2))
    launch("layer_norm", "layer_norm_backward", (programs if columns else 0, ), grad_out, x, contiguous(weight), contiguous(mean), contiguous(rstd),
           flat, partial_weight, partial_bias, strides(grad_out)[0], strides(x)[0], columns, rows, columns, block, cache_modifier(grad_x),
           num_warps=warps(block))
    sum_of_rows(grad_weight, partial_weight)
    sum_of_rows(grad_bias, partial_bias)


@layer_norm.gradient
def _(grad_out, x, weight, bias, mean, rstd):
    grad_x, grad_weight, grad_bias = layer_norm_backward(grad_out, x, weight, mean, rstd)
    return grad_x, grad_weight, None if bias is None else grad_bias.to(bias.dtype)


@op("out")
def softmax(x: Array):
    """exp(x) / sum(exp(x)) over the last axis."""
    require_floats(x=x)
    out = empty(x, x.shape)
    yield out
    x, flat = as_rows(x), as_rows(out)
    rows, columns = x.shape
    is_long = columns > LONGEST_ROW
    block = LONG_BLOCK if is_long else power_of_two(columns)
    launch("softmax", "softmax_online" if is_long else "softmax", (rows if columns else 0, ), x, flat, strides(x)[0], columns, columns, block,
           cache_modifier(out), num_warps=warps(block))

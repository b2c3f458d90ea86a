"""Norms over the last axis and over groups of channels, and softmax."""
from __future__ import annotations

import math

from ._arrays import as_rows, contiguous, empty, require, require_floats, require_shape, strides
from ._declare import op
from ._library import LONGEST_ROW, LONG_BLOCK, cache_modifier, cdiv, launch, power_of_two, row_programs, warps


def _row_block(columns):
    """(suffix of the kernel, its block) for a row of that length."""
    return ("_long", LONG_BLOCK) if columns > LONGEST_ROW else ("", power_of_two(columns))


def _partial_programs(x, rows):
    return min(rows, row_programs(x))


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


@op("out sum rstd", shown=2)
def fused_add_rms_norm(x: Array, residual: Array, weight: Array, eps: float = 1e-6):
    """(rms_norm(x + residual) * weight, x + residual) over the last axis, in one pass."""
    require_floats(x=x, residual=residual, weight=weight)
    require_shape("residual", residual, x.shape)
    require_shape("weight", weight, x.shape[-1:])
    out, total, rstd = empty(x, x.shape), empty(residual, x.shape), empty(x, x.shape[:-1], "float32")
    yield out, total, rstd
    x, residual, flat, flat_total = map(as_rows, (x, residual, out, total))
    rows, columns = x.shape
    suffix, block = _row_block(columns)
    launch("add_rms_norm", f"add_rms_norm_forward{suffix}", (rows if columns else 0, ), x, residual, contiguous(weight), flat, flat_total, rstd,
           strides(x)[0], strides(residual)[0], columns, columns, columns, eps, block, cache_modifier(out), num_warps=warps(block))


@op("grad grad_weight")
def fused_add_rms_norm_backward(grad_out: Array, grad_sum: Array, total: Array, weight: Array, rstd: Array):
    """The gradient of x and of residual alike, and that of weight."""
    grad, grad_weight = empty(total, total.shape), empty(weight, weight.shape)
    yield grad, grad_weight
    grad_out, grad_sum, total, flat = map(as_rows, (grad_out, grad_sum, total, grad))
    rows, columns = total.shape
    programs, block = _partial_programs(total, rows), power_of_two(columns)
    partial = empty(total, (programs, columns), "float32")
    launch("add_rms_norm", "add_rms_norm_backward", (programs if columns else 0, ), grad_out, grad_sum, total, contiguous(weight), contiguous(rstd), flat,
           partial, strides(grad_out)[0], strides(grad_sum)[0], strides(total)[0], columns, rows, columns, block, cache_modifier(grad),
           num_warps=warps(block))
    sum_of_rows(grad_weight, partial)


@fused_add_rms_norm.gradient
def _(grad_out, grad_sum, x, weight, sum, rstd):
    grad, grad_weight = fused_add_rms_norm_backward(grad_out, grad_sum, sum, weight, rstd)
    return grad.to(x.dtype), grad.clone(), grad_weight


@op("out mean rstd", shown=1)
def group_norm(x: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5):
    """torch's group norm of [batch, channels, …]: mean and deviation of a group of channels of a sample, weight and bias of a channel."""
    require_floats(x=x, weight=weight, bias=bias)
    require(len(x.shape) >= 2 and num_groups > 0 and x.shape[1] % num_groups == 0, f"`x` has shape {tuple(x.shape)}, but (batch, multiple of {num_groups}, …) is expected")
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None:
            require_shape(name, each, x.shape[1:2])
    out, mean, rstd = empty(x, x.shape), empty(x, (x.shape[0], num_groups), "float32"), empty(x, (x.shape[0], num_groups), "float32")
    yield out, mean, rstd
    each, positions = x.shape[1] // num_groups, math.prod(x.shape[2:])
    block = min(LONG_BLOCK, power_of_two(each * positions))
    launch("group_norm", "group_norm_forward", (x.shape[0] * num_groups if positions else 0, ), contiguous(x), *_channels(weight, bias), out, mean, rstd,
           num_groups, each, positions, eps, block, cache_modifier(out), num_warps=warps(block))


def _channels(*arrays):
    return [None if x is None else contiguous(x) for x in arrays]


@op("grad_x grad_weight grad_bias")
def group_norm_backward(grad_out: Array, x: Array, weight: Array | None, mean: Array, rstd: Array):
    """The gradients of x, weight and bias (float32)."""
    grad_x, grad_weight, grad_bias = empty(x, x.shape), empty(x, x.shape[1:2], "float32"), empty(x, x.shape[1:2], "float32")
    yield grad_x, grad_weight, grad_bias
    batch, channels = x.shape[:2]
    groups, positions = mean.shape[1], math.prod(x.shape[2:])
    grad_out, x, mean, rstd = map(contiguous, (grad_out, x, mean, rstd))
    block = min(LONG_BLOCK, power_of_two(channels // groups * positions))
    launch("group_norm", "group_norm_backward", (batch * groups if positions else 0, ), grad_out, x, *_channels(weight), mean, rstd, grad_x, groups,
           channels // groups, positions, block, cache_modifier(grad_x), num_warps=warps(block))
    block = min(LONG_BLOCK, power_of_two(positions))
    partial_weight, partial_bias = (empty(x, (batch, channels), "float32") for _ in range(2))
    launch("group_norm", "group_norm_backward_channels", (batch * channels, ), grad_out, x, mean, rstd, partial_weight, partial_bias, channels // groups,
           positions, block, num_warps=warps(block))
    sum_of_rows(grad_weight, partial_weight)
    sum_of_rows(grad_bias, partial_bias)


@group_norm.gradient
def _(grad_out, x, weight, bias, mean, rstd):
    grad_x, grad_weight, grad_bias = group_norm_backward(grad_out, x, weight, mean, rstd)
    return grad_x, None if weight is None else grad_weight.to(weight.dtype), None if bias is None else grad_bias.to(bias.dtype)


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


@op("grad_x")
def softmax_backward(grad_out: Array, out: Array):
    """The gradient of x."""
    require_shape("grad_out", grad_out, out.shape)
    grad_x = empty(out, out.shape)
    yield grad_x
    grad_out, out, flat = map(as_rows, (grad_out, out, grad_x))
    rows, columns = out.shape
    block = min(LONG_BLOCK, power_of_two(columns))
    launch("softmax", "softmax_backward", (rows if columns else 0, ), grad_out, out, flat, strides(grad_out)[0], strides(out)[0], columns, columns, block,
           cache_modifier(grad_x), num_warps=warps(block))


@softmax.gradient
def _(grad_out, out):
    return softmax_backward(grad_out, out)


def instance_norm(input, weight=None, bias=None, eps=1e-5):
    """torch's norm of each channel of each picture by itself, [batch, channels, …]: groups of one channel."""
    return group_norm(input, input.shape[1], weight, bias, eps)


@op("out used_mean used_rstd")
def batch_norm_channels(x: Array, weight: Array | None, bias: Array | None, mean: Array | None, rstd: Array | None, eps: float):
    """The norm of channels of [batch, channels, places] and its statistics, by given ones if there are."""
    require_floats(x=x, weight=weight, bias=bias)
    require(len(x.shape) == 3, f"`x` has shape {tuple(x.shape)}, but (batch, channels, places) is expected")
    batch, channels, places = x.shape
    for name, each in (("weight", weight), ("bias", bias), ("mean", mean), ("rstd", rstd)):
        if each is not None:
            require_shape(name, each, (channels, ))
    out, used_mean, used_rstd = empty(x, x.shape), empty(x, (channels, ), "float32"), empty(x, (channels, ), "float32")
    yield out, used_mean, used_rstd
    if mean is not None:
        used_mean[...], used_rstd[...] = mean, rstd
    block = min(max(power_of_two(batch * places), 16), LONG_BLOCK)
    weight, bias = (None if each is None else contiguous(each) for each in (weight, bias))
    launch("batch_norm", "batch_norm_forward", (channels if batch * places else 0, ), contiguous(x), weight, bias, out, used_mean, used_rstd, batch, channels, places, eps, mean is None, block,
           num_warps=warps(block))


@op("grad_x grad_weight grad_bias")
def batch_norm_channels_backward(grad_out: Array, x: Array, weight: Array | None, used_mean: Array, used_rstd: Array, training: bool):
    """The gradients; those of weight and bias are float32."""
    batch, channels, places = x.shape
    grad_x, grad_weight, grad_bias = empty(x, x.shape), empty(x, (channels, ), "float32"), empty(x, (channels, ), "float32")
    yield grad_x, grad_weight, grad_bias
    block = min(max(power_of_two(batch * places), 16), LONG_BLOCK)
    launch("batch_norm", "batch_norm_backward", (channels if batch * places else 0, ), contiguous(grad_out), contiguous(x), None if weight is None else contiguous(weight), used_mean, used_rstd,
           grad_x, grad_weight, grad_bias, batch, channels, places, training, block, num_warps=warps(block))


@batch_norm_channels.gradient
def _(grad_out, grad_mean, grad_rstd, x, weight, bias, mean, used_mean, used_rstd):
    grad_x, grad_weight, grad_bias = batch_norm_channels_backward(grad_out, x, weight, used_mean, used_rstd, mean is None)
    return grad_x, None if weight is None else grad_weight.to(weight.dtype), None if bias is None else grad_bias.to(bias.dtype)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """torch's norm of each channel of [batch, channels, …] over the batch: in training by its own mean and variance, which move the running ones (float32, in place, or None), else by those."""
    require(training or (running_mean is not None and running_var is not None), "`running_mean` and `running_var` are needed where `training` is not set")
    x = input.reshape(*input.shape[:2], math.prod(input.shape[2:]))
    if not training:
        return batch_norm_channels(x, weight, bias, running_mean, (running_var + eps)**-0.5, eps)[0].reshape(input.shape)
    out, mean, rstd = batch_norm_channels(x, weight, bias, None, None, eps)
    if running_mean is not None:
        count = x.shape[0] * x.shape[2]
        mean, rstd = (each.detach() if hasattr(each, "detach") else each for each in (mean, rstd))
        running_mean += momentum * (mean - running_mean)
        running_var += momentum * ((rstd**-2 - eps) * (count / max(count - 1, 1)) - running_var)
    return out.reshape(input.shape)

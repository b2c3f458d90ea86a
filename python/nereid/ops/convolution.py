"""Convolutions of pictures and along sequences."""
from __future__ import annotations

from ._arrays import contiguous, dtype_name, empty, on_gpu, require, require_floats, require_shape, strides
from ._declare import op
from ._library import cdiv, launch, power_of_two


@op("out")
def convolution(x: Array, weight: Array, bias: Array | None, stride_h: int, stride_w: int, padding_h: int, padding_w: int, dilation_h: int, dilation_w: int, groups: int):
    """See `conv2d`."""
    require_floats(input=x, weight=weight, bias=bias)
    require(len(x.shape) == 4 and len(weight.shape) == 4, f"`input` has shape {tuple(x.shape)} and `weight` {tuple(weight.shape)}, but four axes are expected")
    require(x.dtype == weight.dtype, f"`input` and `weight` have types {dtype_name(x)} and {dtype_name(weight)}, but one is expected")
    require(min(stride_h, stride_w, dilation_h, dilation_w, groups) >= 1 and min(padding_h, padding_w) >= 0, "stride, dilation and groups are at least 1, and padding is not negative")
    batch, channels, height, width = x.shape
    out_channels, _, kernel_h, kernel_w = weight.shape
    require(channels % groups == 0 and out_channels % groups == 0, f"{channels} and {out_channels} channels are no multiples of {groups} groups")
    require_shape("weight", weight, (out_channels, channels // groups, kernel_h, kernel_w))
    if bias is not None:
        require_shape("bias", bias, (out_channels, ))
    sizes = [max((size + 2 * padding - dilation * (kernel - 1) - 1 + stride) // stride, 0)
             for size, kernel, stride, padding, dilation in ((height, kernel_h, stride_h, padding_h, dilation_h), (width, kernel_w, stride_w, padding_w, dilation_w))]
    out = empty(x, (batch, out_channels, *sizes))
    yield out
    places, per_group = batch * sizes[0] * sizes[1], out_channels // groups
    block_m = min(max(power_of_two(places), 16), 128 if on_gpu(x) and dtype_name(x) != "float32" else 64)
    block_n = min(max(power_of_two(per_group), 16), 64)
    launch("conv2d", "conv2d", (cdiv(places, block_m), cdiv(per_group, block_n), groups), x, weight, None if bias is None else contiguous(bias), out, *strides(x), *strides(weight), *strides(out),
           batch, height, width, *sizes, channels // groups, per_group, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, kernel_h, kernel_w, block_m, block_n, 32, "ieee")


def _pair(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch's convolution of [batch, channels, height, width] with weight [channels of the result, channels / groups, height, width]."""
    return convolution(input, weight, bias, *_pair(stride), *_pair(padding), *_pair(dilation), groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """torch's convolution of [batch, channels, length] with weight [channels of the result, channels / groups, length]."""
    stride, padding, dilation = (value[0] if isinstance(value, (tuple, list)) else value for value in (stride, padding, dilation))
    return convolution(input[:, :, None], weight[:, :, None], bias, 1, stride, 0, padding, 1, dilation, groups)[:, :, 0]

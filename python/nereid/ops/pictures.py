"""Pooling and interpolation of pictures, and boxes in them."""
from __future__ import annotations

import math

from ._arrays import contiguous, dtype_name, empty, pair, require, require_floats, require_places, require_shape
from ._declare import op
from ._library import cdiv, launch, power_of_two, warps
from .ordering import sorted_with_places

_BLOCK = 1024


def _windows(kernel_size, stride):
    """Sizes of windows and steps between them: a window's size where none are given, or none in a list."""
    is_given = stride is not None and (not isinstance(stride, (tuple, list)) or len(stride) > 0)
    return *pair("kernel_size", kernel_size), *pair("stride", stride if is_given else kernel_size)


def _pooled(size, kernel, stride, padding, dilation, ceil_mode):
    """How many windows lie along an axis; with ceil_mode one that hangs over counts if it begins in the picture or before it."""
    require(min(kernel, stride, dilation) >= 1, "kernel, stride and dilation are at least 1")
    require(0 <= 2 * padding <= kernel, f"padding is {padding}, but at most half of the kernel's {kernel} is expected")
    count = (size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)) // stride + 1
    count -= ceil_mode and (count - 1) * stride >= size + padding
    require(count > 0, f"a window of {kernel} does not fit into {size}")
    return count


def _blocks(shape):
    """(grid, blocks of planes, rows and columns) for [batch, channels, height, width]: rows of up to 64, as many of them as leave the least over, and planes, 1024 places in all."""
    batch, channels, height, width = shape
    block_w = min(64, power_of_two(width))
    block_h = min((1 << i for i in range((1024 // block_w).bit_length())), key=lambda rows: (cdiv(height, rows) * rows, -rows))
    block_p = min(1024 // (block_w * block_h), power_of_two(batch * channels))
    return (cdiv(batch * channels, block_p) * cdiv(height, block_h) * cdiv(width, block_w), ), (block_p, block_h, block_w)


def _require_pictures(x):
    require_floats(input=x)
    require(len(x.shape) == 4, f"`input` has shape {tuple(x.shape)}, but (batch, channels, height, width) is expected")
    require_places("a picture", x.shape[2] * x.shape[3])


@op("out indices")
def max_pool(x: Array, kernel_h: int, kernel_w: int, stride_h: int, stride_w: int, padding_h: int, padding_w: int, dilation_h: int, dilation_w: int, ceil_mode: bool):
    """See `max_pool2d`."""
    _require_pictures(x)
    sizes = (_pooled(x.shape[2], kernel_h, stride_h, padding_h, dilation_h, ceil_mode), _pooled(x.shape[3], kernel_w, stride_w, padding_w, dilation_w, ceil_mode))
    out, indices = empty(x, (*x.shape[:2], *sizes)), empty(x, (*x.shape[:2], *sizes), "int64")
    yield out, indices
    grid, blocks = _blocks(out.shape)
    launch("pooling", "max_pool2d", grid, contiguous(x), out, indices, x.shape[0] * x.shape[1], *x.shape[2:], *sizes, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, kernel_h, kernel_w, *blocks)


@op("grad")
def max_pool_backward(grad_out: Array, indices: Array, height: int, width: int, kernel_h: int, kernel_w: int, stride_h: int, stride_w: int, padding_h: int, padding_w: int, dilation_h: int,
                      dilation_w: int):
    """Gradients to the places that were chosen."""
    grad = empty(grad_out, (*grad_out.shape[:2], height, width))
    yield grad
    grid, blocks = _blocks(grad.shape)
    launch("pooling", "max_pool2d_backward", grid, contiguous(grad_out), contiguous(indices), grad, grad.shape[0] * grad.shape[1], height, width, *grad_out.shape[2:], stride_h, stride_w, padding_h, padding_w,
           dilation_h, dilation_w, kernel_h, kernel_w, *blocks)


@max_pool.gradient
def _(grad_out, grad_indices, x, indices, kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w):
    return max_pool_backward(grad_out, indices, *x.shape[2:], kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """torch's largest element of each window of [batch, channels, height, width], and if asked its place in the plane (int64)."""
    out, indices = max_pool(input, *_windows(kernel_size, stride), *pair("padding", padding), *pair("dilation", dilation), ceil_mode)
    return (out, indices) if return_indices else out


@op("out")
def avg_pool(x: Array, kernel_h: int, kernel_w: int, stride_h: int, stride_w: int, padding_h: int, padding_w: int, ceil_mode: bool, count_include_pad: bool, divisor: int):
    """See `avg_pool2d`; a divisor of 0 is none."""
    _require_pictures(x)
    require(divisor >= 0, f"the divisor is {divisor}, which is negative")
    sizes = (_pooled(x.shape[2], kernel_h, stride_h, padding_h, 1, ceil_mode), _pooled(x.shape[3], kernel_w, stride_w, padding_w, 1, ceil_mode))
    out = empty(x, (*x.shape[:2], *sizes))
    yield out
    grid, blocks = _blocks(out.shape)
    launch("pooling", "avg_pool2d", grid, contiguous(x), out, x.shape[0] * x.shape[1], *x.shape[2:], *sizes, stride_h, stride_w, padding_h, padding_w, divisor, count_include_pad, kernel_h, kernel_w, *blocks)


@op("grad")
def avg_pool_backward(grad_out: Array, height: int, width: int, kernel_h: int, kernel_w: int, stride_h: int, stride_w: int, padding_h: int, padding_w: int, count_include_pad: bool, divisor: int):
    """Shares of the gradients of windows."""
    grad = empty(grad_out, (*grad_out.shape[:2], height, width))
    yield grad
    grid, blocks = _blocks(grad.shape)
    launch("pooling", "avg_pool2d_backward", grid, contiguous(grad_out), grad, grad.shape[0] * grad.shape[1], height, width, *grad_out.shape[2:], stride_h, stride_w, padding_h, padding_w, divisor,
           count_include_pad, kernel_h, kernel_w, *blocks)


@avg_pool.gradient
def _(grad_out, x, kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, count_include_pad, divisor):
    return avg_pool_backward(grad_out, *x.shape[2:], kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, count_include_pad, divisor)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """torch's mean of each window of [batch, channels, height, width]."""
    require(divisor_override != 0, "`divisor_override` is 0")
    return avg_pool(input, *_windows(kernel_size, stride), *pair("padding", padding), ceil_mode, count_include_pad, divisor_override or 0)


@op("out")
def resize(x: Array, height: int, width: int, scale_h: float, scale_w: float, kind: str, align_corners: bool):
    """See `interpolate`; scale: how far two neighbours of the result lie apart in x."""
    _require_pictures(x)
    require(min(height, width, *x.shape[2:]) > 0, f"pictures of {tuple(x.shape[2:])} to {(height, width)} are asked for, but none of these may be 0")
    require_places("a picture", height * width)
    out = empty(x, (*x.shape[:2], height, width))
    yield out
    grid, blocks = _blocks(out.shape)
    launch("interpolate", "interpolate", grid, contiguous(x), out, x.shape[0] * x.shape[1], *x.shape[2:], height, width, scale_h, scale_w, kind, align_corners, *blocks)


@op("grad")
def resize_backward(grad_out: Array, height: int, width: int, scale_h: float, scale_w: float, kind: str, align_corners: bool):
    """The gradient of a picture of that size."""
    grad = empty(grad_out, (*grad_out.shape[:2], height, width))
    yield grad
    grid, blocks = _blocks(grad.shape)
    readers = [size if scale == 0 else math.ceil((2 if kind == "bilinear" else 1) / scale) + 2 for size, scale in zip(grad_out.shape[2:], (scale_h, scale_w))]
    launch("interpolate", "interpolate_backward", grid, contiguous(grad_out), grad, grad.shape[0] * grad.shape[1], height, width, *grad_out.shape[2:], scale_h, scale_w, *readers, kind, align_corners, *blocks)


@resize.gradient
def _(grad_out, x, scale_h, scale_w, kind, align_corners):
    return resize_backward(grad_out, *x.shape[2:], scale_h, scale_w, kind, align_corners)


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """torch's pictures of another size: [batch, channels, height, width] with mode "nearest", "nearest-exact" or "bilinear", or [batch, channels, length] with "nearest", "nearest-exact" or "linear". size or
    scale_factor: a number, or one for each axis."""
    require((size is None) != (scale_factor is None), "one of `size` and `scale_factor` is expected")
    is_line = len(input.shape) == 3
    modes = ("nearest", "nearest-exact", "linear" if is_line else "bilinear")
    require(mode in modes, f"`mode` is {mode!r}, but one of {modes} is expected")
    x = input[:, :, None] if is_line else input
    require(len(x.shape) == 4, f"`input` has shape {tuple(input.shape)}, but (batch, channels, height, width) is expected")
    axes = 1 if is_line else 2
    given = size if scale_factor is None else scale_factor
    given = tuple(given) if isinstance(given, (tuple, list)) else (given, ) * axes
    require(len(given) == axes, f"{len(given)} sizes are given, but {axes} are expected")
    sizes = [int(value) if scale_factor is None else math.floor(old * value) for value, old in zip(given, x.shape[-axes:])]
    align = bool(align_corners) and mode.endswith("linear")
    scales = []
    for old, new, value in zip(x.shape[-axes:], sizes, given):
        if align:
            scales.append((old - 1) / (new - 1) if new > 1 else 0.0)
        else:
            scales.append(old / max(new, 1) if scale_factor is None else 1 / value)
    if is_line:
        sizes, scales = [1, *sizes], [1.0, *scales]
    out = resize(x, *sizes, *scales, "bilinear" if mode == "linear" else mode, align)
    return out[:, :, 0] if is_line else out


@op("keep number")
def suppressed(boxes: Array, scores: Array, iou_threshold: float):
    """(the numbers of the boxes that stay, int64 [1]: how many): see `nms`; keep is as long as boxes."""
    require_floats(boxes=boxes)
    require(len(boxes.shape) == 2, f"`boxes` has shape {tuple(boxes.shape)}, but (boxes, 4) is expected")
    count = boxes.shape[0]
    require_shape("boxes", boxes, (count, 4))
    require_shape("scores", scores, (count, ))
    require(dtype_name(scores) == "float32", f"`scores` has type {dtype_name(scores)}, but float32 is expected")
    require(count <= 32768, f"there are {count} boxes, but at most 32768 are expected")
    keep, number = empty(boxes, (count, ), "int64"), empty(boxes, (1, ), "int64")
    yield keep, number
    words = cdiv(count, 32)
    order, hidden = empty(boxes, (0, ), "int32"), empty(boxes, (count, words), "int32")
    if count:
        _, order = sorted_with_places(contiguous(scores), 32, True)
    launch("nms", "overlaps", (cdiv(count, 64), words), contiguous(boxes), order, hidden, count, words, iou_threshold, 64)
    launch("nms", "select", (1, ), hidden, order, keep, number, count, words, power_of_two(words), num_warps=warps(8 * words))


def nms(boxes, scores, iou_threshold):
    """torchvision's non-maximum suppression: the numbers (int64) of the boxes [n, 4] (left, top, right, bottom) that share no more than iou_threshold of what both cover with any box of a higher score (float32 [n]) that stays.
    The highest score comes first. Waits for the device."""
    keep, number = suppressed(boxes, scores, iou_threshold)
    return keep[:int(number[0])]

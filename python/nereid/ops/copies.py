"""Copies: matrices turned around, and arrays of any strides."""
from __future__ import annotations

import math

from ._arrays import empty, is_torch, require, require_shape, strides, unit_rows
from ._declare import op
from ._library import cache_modifier, cdiv, launch, power_of_two


@op("out")
def transpose(x: Array):
    """x of two or three axes with the last two exchanged, as an array of its own."""
    require(len(x.shape) in (2, 3), f"`x` has shape {tuple(x.shape)}, but two or three axes are expected")
    *batch, rows, columns = x.shape
    out = empty(x, (*batch, columns, rows))
    yield out
    x = unit_rows(x)
    steps = [step for each in (x, out) for step in (strides(each)[0] if batch else 0, strides(each)[-2])]
    launch("transpose", "transpose", (cdiv(columns, 64), cdiv(rows, 64), *batch), x, out, rows, columns, *steps, 64, 64, cache_modifier(out))


@transpose.gradient
def _(grad_out):
    return transpose(grad_out)


def _axes(out, x):
    """(extent, step of x, step of out) of the axes that matter, the one on which `out` is contiguous last; neighbours that are one run on both sides are one axis."""
    axes = []
    for axis in sorted((axis for axis in zip(x.shape, strides(x), strides(out)) if axis[0] != 1), key=lambda axis: -axis[2]):
        if axes and axes[-1][1:] == (axis[0] * axis[1], axis[0] * axis[2]):
            axis = (axes.pop()[0] * axis[0], *axis[1:])
        axes.append(axis)
    return axes


def _addresses(x):
    """The first byte of an array, and the one behind its last."""
    first, size = (x.data_ptr(), x.element_size()) if is_torch(x) else (x.__array_interface__["data"][0], x.itemsize)
    return first, first + size * (1 + sum((extent - 1) * step for extent, step in zip(x.shape, strides(x)))) if math.prod(x.shape) else first


def _meets(a, b):
    (a_first, a_end), (b_first, b_end) = _addresses(a), _addresses(b)
    return a_first < b_end and b_first < a_end


@op("")
def copy_(out: Changed, x: Array):
    """Elements of x into `out`, of any strides and types on both sides, as torch's copy_; up to four axes that do not continue each other. They may lie in the same memory."""
    require_shape("x", x, out.shape)
    axes = _axes(out, x)
    require(len(axes) <= 4, f"`x` has shape {tuple(x.shape)}, but at most four axes that do not continue each other can be copied")
    require(all(step for extent, _, step in axes if extent > 1), f"`out` has strides {strides(out)}: several of its elements are one, and any of theirs might stay")
    yield
    if _meets(out, x):  # no program may write what another one has yet to read
        x = x.clone() if is_torch(x) else x.copy(order="K")
        axes = _axes(out, x)
    axes = axes or [(1, 1, 1)]
    axes = [(1, 0, 0)] * (4 - len(axes)) + axes
    (_, *extents), x_steps, out_steps = zip(*axes)
    rows = math.prod(extent for extent, _, _ in axes[:3])
    block = min(4096, power_of_two(extents[-1]))
    block_rows = min(max(1, 4096 // block), power_of_two(rows))
    launch("strided_copy", "strided_copy", (cdiv(rows, block_rows), cdiv(extents[-1], block)), x, out, rows, *extents, *x_steps, *out_steps, block_rows, block, cache_modifier(out))

"""Arrays as int8 or fp8 with scales, and back."""
from __future__ import annotations

import math

from ._arrays import as_rows, contiguous, dtype_name, empty, on_gpu, require, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, LONGEST_ROW, VECTOR_BLOCK, cache_modifier, cdiv, launch, multiprocessors, power_of_two, warps

_LARGEST = {"int8": 127.0, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


def _require_type(dtype):
    require(dtype in _LARGEST, f"there is no quantization to {dtype}; there is {', '.join(_LARGEST)}")


def _launch_rows(rows, q, scale, dtype):
    """A scale for each row of a matrix."""
    count, columns = rows.shape
    block = power_of_two(columns)
    if block > LONGEST_ROW:
        launch("quantize", "quantize_rows", (count, ), rows, q, scale, strides(rows)[0], columns, columns, _LARGEST[dtype], LONG_BLOCK, num_warps=warps(LONG_BLOCK))
        return
    together = max(VECTOR_BLOCK // block, 1)
    launch("quantize", "quantize_short_rows", (cdiv(count, together), ), rows, q, scale, strides(rows)[0], columns, count, columns, _LARGEST[dtype], together, block, num_warps=warps(together * block))


@op("q scale")
def quantize_per_row(x: Array, dtype: str = "int8"):
    """(q, scale): x is about q * scale[..., None], with a float32 scale for each row of the last axis. dtype: int8, float8_e4m3fn, float8_e5m2."""
    _require_type(dtype)
    require_floats(x=x)
    q, scale = empty(x, x.shape, dtype), empty(x, x.shape[:-1], "float32")
    yield q, scale
    _launch_rows(as_rows(x), q, scale, dtype)


@op("q scale")
def quantize_per_group(x: Array, group_size: int = 128, dtype: str = "int8"):
    """(q, scale): a float32 scale for each group_size elements of the last axis, scale [..., columns / group_size]."""
    _require_type(dtype)
    require_floats(x=x)
    require(group_size > 0 and x.shape[-1] % group_size == 0, f"the last axis has {x.shape[-1]} elements, but a multiple of {group_size} is expected")
    q, scale = empty(x, x.shape, dtype), empty(x, (*x.shape[:-1], x.shape[-1] // group_size), "float32")
    yield q, scale
    _launch_rows(contiguous(x).reshape(math.prod(scale.shape), group_size), q, scale, dtype)


@op("q scale")
def quantize_per_block(x: Array, block_size: int = 128, dtype: str = "int8"):
    """(q, scale) of a matrix: a float32 scale for each block of block_size rows and columns (a power of two); the last ones may be smaller."""
    _require_type(dtype)
    require_floats(x=x)
    require(len(x.shape) == 2, f"`x` has shape {tuple(x.shape)}, but (rows, columns) is expected")
    require(1 <= block_size <= 256 and block_size & (block_size - 1) == 0, f"a block has {block_size} rows, but a power of two up to 256 is expected")
    q, scale = empty(x, x.shape, dtype), empty(x, (cdiv(x.shape[0], block_size), cdiv(x.shape[1], block_size)), "float32")
    yield q, scale
    x = as_rows(x)
    launch("quantize", "quantize_blocks", (scale.shape[1], scale.shape[0]), x, q, scale, strides(x)[0], x.shape[1], *x.shape, _LARGEST[dtype],
           block_size, block_size, num_warps=warps(block_size * block_size))


@op("q scale")
def quantize_per_tensor(x: Array, dtype: str = "int8"):
    """(q, scale): one float32 scale, of shape (1,), for all of x."""
    _require_type(dtype)
    require_floats(x=x)
    q, scale = empty(x, x.shape, dtype), empty(x, (1, ), "float32")
    yield q, scale
    x = contiguous(x)
    count = math.prod(x.shape)
    block = min(VECTOR_BLOCK, power_of_two(count))
    programs = min(max(cdiv(count, block), 1), 8 * multiprocessors(x) if on_gpu(x) else 256)
    partial = empty(x, (programs, ), "float32")
    launch("quantize", "largest_magnitude", (programs, ), x, partial, count, 1.0, block, num_warps=warps(block))
    launch("quantize", "largest_magnitude", (1, ), partial, scale, programs, _LARGEST[dtype], 1024)
    flat = as_rows(x)
    rows, columns = flat.shape
    block_n = min(512, power_of_two(columns))
    launch("quantize", "quantize_by", (cdiv(columns, block_n), cdiv(rows, 8)), flat, scale, q, columns, columns, 1, rows, columns, rows, columns,
           _LARGEST[dtype], 8, block_n, True, num_warps=warps(8 * block_n))


@op("out")
def dequantize(q: Array, scale: Array, block_rows: int, block_columns: int, dtype: str = "float32"):
    """q * scale of a matrix, where block_rows rows and block_columns columns share an element of scale (float32, two axes)."""
    require(len(q.shape) == 2 and dtype_name(q) in _LARGEST, f"`q` has type {dtype_name(q)} and shape {tuple(q.shape)}, but a quantized matrix is expected")
    require(dtype_name(scale) == "float32", f"`scale` has type {dtype_name(scale)}, but float32 is expected")
    require_shape("scale", scale, (cdiv(q.shape[0], block_rows), cdiv(q.shape[1], block_columns)))
    out = empty(q, q.shape, dtype)
    yield out
    q = as_rows(q)
    rows, columns = q.shape
    block_n = min(512, power_of_two(columns))
    launch("quantize", "dequantize_by", (cdiv(columns, block_n), cdiv(rows, 8)), q, contiguous(scale), out, strides(q)[0], columns, scale.shape[1],
           rows, columns, block_rows, block_columns, 8, block_n, cache_modifier(out), num_warps=warps(8 * block_n))


def _require_kind(kind):
    require(kind in ("e2m1", "e4m3", "e5m2"), f"`kind` is {kind!r}, but 'e2m1', 'e4m3' or 'e5m2' is expected")


@op("q scale")
def mx_quantize(x: Array, kind: str = "e2m1"):
    """Microscaling codes of groups of 32 along the last axis, uint8: MXFP4 ("e2m1", two to a byte, the first in the low bits) or MXFP8 ("e4m3", "e5m2"), and the scales' codes, uint8: 2^(code - 127)."""
    require_floats(x=x)
    _require_kind(kind)
    require(len(x.shape) > 0 and x.shape[-1] % 32 == 0, f"`x` has shape {tuple(x.shape)}, but a last axis of groups of 32 is expected")
    q, scale = (empty(x, (*x.shape[:-1], x.shape[-1] // share), "uint8") for share in (2 if kind == "e2m1" else 1, 32))
    yield q, scale
    groups = math.prod(scale.shape)
    block = min(power_of_two(groups), 128)
    launch("microscaling", "microscaling_quantize", (cdiv(groups, block), ), contiguous(x), q, scale, groups, kind, block)


@op("x")
def mx_dequantize(q: Array, scale: Array, kind: str = "e2m1", dtype: str = "float32"):
    """The values of microscaling codes, as `mx_quantize` gives them."""
    _require_kind(kind)
    require(dtype_name(q) == dtype_name(scale) == "uint8", f"`q` and `scale` have types {dtype_name(q)} and {dtype_name(scale)}, but uint8 is expected")
    columns = q.shape[-1] * (2 if kind == "e2m1" else 1)
    require_shape("scale", scale, (*q.shape[:-1], columns // 32))
    require(columns % 32 == 0, f"`q` has shape {tuple(q.shape)}, but a last axis of groups of 32 elements is expected")
    x = empty(q, (*q.shape[:-1], columns), dtype)
    yield x
    groups = math.prod(scale.shape)
    block = min(power_of_two(groups), 128)
    launch("microscaling", "microscaling_dequantize", (cdiv(groups, block), ), contiguous(q), contiguous(scale), x, groups, kind, block)

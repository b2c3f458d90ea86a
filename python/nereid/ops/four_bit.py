"""Weights of four bits: bitsandbytes' NF4 and FP4, and the words of AWQ and GPTQ checkpoints."""
from __future__ import annotations

import functools
import math

from ._arrays import contiguous, dtype_name, empty, require, require_floats, require_shape, require_within, table_beside
from ._declare import op
from ._library import cache_modifier, cdiv, launch, power_of_two

_NF4 = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
        0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
        0.7229568362236023, 1.0)  # yapf: disable
_FP4 = tuple(sign * value / 12 for sign in (1, -1) for value in (0, 0.0625, 8, 12, 4, 6, 2, 3))
_TABLES = {"nf4": _NF4, "fp4": _FP4}


def _table(x, quant_type):
    """The sixteen values, where `x` lies."""
    return table_beside(x, _TABLES[quant_type])


@functools.cache
def _levels(quant_type):
    """What finds the nearest of the sixteen values: their codes in the order of values, one of equal ones, and the middle between each and the one before."""
    values = _TABLES[quant_type]
    codes = sorted({value: code for code, value in reversed(list(enumerate(values)))}.values(), key=values.__getitem__)
    middles = [(values[low] + values[high]) / 2 for low, high in zip(codes, codes[1:])]
    missing = 16 - len(codes)
    return (*codes, *[0] * missing, 0.0, *middles, *[math.inf] * missing)


def _require_blocks(quant_type, blocksize):
    require(quant_type in _TABLES, f"`quant_type` is {quant_type!r}, but 'nf4' or 'fp4' is expected")
    require(32 <= blocksize <= 4096 and power_of_two(blocksize) == blocksize, f"a block has {blocksize} elements, but a power of two from 32 to 4096 is expected")


@op("q absmax")
def quantize_4bit(x: Array, blocksize: int = 64, quant_type: str = "nf4"):
    """(q, absmax): two codes a byte (uint8), the first in the high bits, and the largest magnitude of each blocksize elements (float32)."""
    _require_blocks(quant_type, blocksize)
    require_floats(x=x)
    count = math.prod(x.shape)
    q, absmax = empty(x, (cdiv(count, 2), ), "uint8"), empty(x, (cdiv(count, blocksize), ), "float32")
    yield q, absmax
    rows = max(1, 2048 // blocksize)
    launch("nf4", "quantize_4bit", (cdiv(absmax.shape[0], rows), ), contiguous(x), table_beside(x, _levels(quant_type)), q, absmax, count, blocksize, rows)


@op("out")
def dequantize_4bit(q: Array, absmax: Array, count: int, blocksize: int = 64, quant_type: str = "nf4", dtype: str = "float32"):
    """The `count` elements that quantize_4bit stored, as a vector."""
    _require_blocks(quant_type, blocksize)
    require_shape("q", q, (cdiv(count, 2), ))
    require_shape("absmax", absmax, (cdiv(count, blocksize), ))
    require(dtype_name(q) == "uint8" and dtype_name(absmax) == "float32", f"`q` and `absmax` have types {dtype_name(q)} and {dtype_name(absmax)}, but uint8 and float32 are expected")
    out = empty(q, (count, ), dtype)
    yield out
    launch("nf4", "dequantize_4bit", (cdiv(q.shape[0], 1024), ), contiguous(q), _table(q, quant_type), contiguous(absmax), out, count, blocksize, 1024,
           cache_modifier(out))


@op("out")
def dequantize_8bit(q: Array, table: Array, absmax: Array, offset: float = 0.0, blocksize: int = 256):
    """table[q] * absmax + offset for vectors: scales that are quantized themselves. q: uint8; table: 256 float32 values."""
    require_shape("table", table, (256, ))
    require_shape("absmax", absmax, (cdiv(q.shape[0], blocksize), ))
    require(dtype_name(q) == "uint8", f"`q` has type {dtype_name(q)}, but uint8 is expected")
    out = empty(absmax, q.shape)
    yield out
    launch("nf4", "dequantize_8bit", (cdiv(q.shape[0], 1024), ), contiguous(q), contiguous(table), contiguous(absmax), offset, out, q.shape[0],
           blocksize, 1024)


def _require_packed(qweight, scales, qzeros, rows, columns, per_word):
    require_floats(scales=scales)
    for name, x in (("qweight", qweight), ("qzeros", qzeros)):
        require(dtype_name(x) == "int32", f"`{name}` has type {dtype_name(x)}, but int32 is expected")
    require_shape("scales", scales, (scales.shape[0], columns))
    require_shape("qzeros", qzeros, (scales.shape[0], columns // per_word))


@op("out")
def awq_dequantize(qweight: Array, scales: Array, qzeros: Array):
    """[K, N] from AWQ's words: qweight int32 [K, N / 8], scales [groups, N], qzeros int32 [groups, N / 8]."""
    rows, columns = qweight.shape[0], qweight.shape[1] * 8
    _require_packed(qweight, scales, qzeros, rows, columns, 8)
    require(rows % scales.shape[0] == 0, f"`scales` has {scales.shape[0]} groups, which does not divide the {rows} rows")
    out = empty(scales, (rows, columns))
    yield out
    launch("packed_weights", "dequantize_awq", (cdiv(columns, 128), cdiv(rows, 16)), contiguous(qweight), contiguous(qzeros), contiguous(scales), out, rows,
           columns, max(1, rows // scales.shape[0]), 16, 128, cache_modifier(out))


@op("out")
def gptq_dequantize(qweight: Array, scales: Array, qzeros: Array, g_idx: Array | None = None, bits: int = 4, zero_offset: int = 1):
    """[K, N] from GPTQ's words: qweight int32 [K * bits / 32, N], scales [groups, N], qzeros int32 [groups, N * bits / 32]; g_idx (int32) is
    the group of each row, and zeros are zero_offset too small (1 in checkpoints of version 1, 0 in those of version 2)."""
    require(bits in (2, 4, 8), f"{bits} bits are asked for, but 2, 4 or 8 are expected")
    rows, columns = qweight.shape[0] * (32 // bits), qweight.shape[1]
    _require_packed(qweight, scales, qzeros, rows, columns, 32 // bits)
    require(g_idx is not None or rows % scales.shape[0] == 0, f"`scales` has {scales.shape[0]} groups, which does not divide the {rows} rows")
    if g_idx is not None:
        require_shape("g_idx", g_idx, (rows, ))
        require(dtype_name(g_idx) == "int32", f"`g_idx` has type {dtype_name(g_idx)}, but int32 is expected")
    out = empty(scales, (rows, columns))
    yield out
    require_within("g_idx", g_idx, 0, scales.shape[0] - 1)
    launch("packed_weights", "dequantize_gptq", (cdiv(columns, 128), cdiv(rows, 16)), contiguous(qweight), contiguous(qzeros), contiguous(scales),
           None if g_idx is None else contiguous(g_idx), out, rows, columns, max(1, rows // scales.shape[0]), bits, zero_offset, 16, 128,
           cache_modifier(out))

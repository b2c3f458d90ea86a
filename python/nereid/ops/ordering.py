"""Order among elements, rows by their numbers, and counts."""
from __future__ import annotations

import math

from ._arrays import as_rows, contiguous, dtype_name, empty, moved_from_last, moved_last, on_gpu, require, require_floats, require_places, require_shape, strides
from ._declare import op
from ._library import LONGEST_ROW, VECTOR_BLOCK, cache_modifier, cdiv, launch, power_of_two, row_programs, warps


@op("values indices")
def topk(x: Array, k: int, largest: bool = True):
    """(values, indices) of the k largest (or smallest) elements of the last axis, in order; the first of equal ones first. k is 1 to 1024."""
    require_floats(x=x)
    require(1 <= k <= min(x.shape[-1], 1024), f"{k} of {x.shape[-1]} elements are asked for, but 1 to 1024 of at least so many are expected")
    shape = (*x.shape[:-1], k)
    values, indices = empty(x, shape), empty(x, shape, "int64")
    yield values, indices
    x = as_rows(x)
    rows, columns = x.shape
    most, row = power_of_two(k), power_of_two(columns)
    if on_gpu(x) and k >= 16 and columns <= LONGEST_ROW:  # counting costs the same for any k; a network for few is shorter
        return launch("topk", "topk_rows_by_count", (rows, ), x, values, indices, strides(x)[0], columns, k, most, row, largest, num_warps=warps(row))
    launch("topk", "topk_rows", (rows, ), x, values, indices, strides(x)[0], columns, k, most, max(most, min(1024, row)), largest)


@topk.gradient
def _(grad_values, grad_indices, x, indices):
    return grad_values.new_zeros(x.shape).scatter_(-1, indices, grad_values)


def sorted_with_places(keys, bits, descending, results=None):
    """(keys in order, int32 places they came from) of a contiguous vector, whose keys differ in the lowest `bits` alone; or both go to `results`, with places of any integer type."""
    count, block, width = keys.shape[0], 1024, 8 * keys.dtype.itemsize
    programs = min(max(cdiv(count, 2 * block), 1), 1024 if on_gpu(keys) else 16)
    chunk = max(block, cdiv(cdiv(count, programs), block) * block)
    counts, places = empty(keys, (programs, 16), "int32"), None
    grid = (programs if count else 0, )
    for shift in range(0, bits, 4):
        settings = (count, chunk, shift, shift == width - 4, descending, block)
        to_keys, to_places = results if results and shift + 4 >= bits else (empty(keys, keys.shape), empty(keys, keys.shape, "int32"))
        launch("radix_sort", "radix_count", grid, keys, counts, *settings)
        launch("radix_sort", "radix_scatter", grid, keys, places, counts, to_keys, to_places, *settings, 128)
        keys, places = to_keys, to_places
    return keys, places


@op("values indices")
def sort(x: Array, descending: bool = False, dim: int = -1):
    """(values, indices) in order along an axis, stable: integers, and floats of 16 to 64 bits, of which NaN is the largest."""
    require(dtype_name(x).startswith(("int", "uint")) or dtype_name(x) in ("float16", "bfloat16", "float32", "float64"), f"`x` has type {dtype_name(x)}, but integers or floats of 16 to 64 bits are expected")
    require(-len(x.shape) <= dim < len(x.shape), f"there is no axis {dim} of {len(x.shape)}")
    require_places("x", math.prod(x.shape))
    x = moved_last(x, dim)
    values, indices = empty(x, x.shape), empty(x, x.shape, "int64")
    yield moved_from_last(values, dim), moved_from_last(indices, dim)
    x, columns, bits = contiguous(x), x.shape[-1], 8 * x.dtype.itemsize
    count = math.prod(x.shape)
    if count == 0:
        return
    if count == columns:
        sorted_with_places(x.reshape(-1), bits, descending, (values.reshape(-1), indices.reshape(-1)))
        return
    _, places = sorted_with_places(x.reshape(-1), bits, descending)
    # All rows are in order together: sorted by their row, each is, since equal ones stay as they are.
    rows = empty(places, places.shape)
    launch("radix_sort", "rows_of_places", (cdiv(count, 1024), ), places, rows, count, columns, 1024)
    _, order = sorted_with_places(rows, cdiv((count // columns).bit_length(), 4) * 4, False)
    launch("radix_sort", "take_rows_in_order", (cdiv(count, 1024), ), x, places, order, values, indices, count, columns, 1024)


@sort.gradient
def _(grad_values, grad_indices, indices, dim):
    return grad_values.new_zeros(grad_values.shape).scatter_(dim, indices, grad_values)


def argsort(x, descending=False, dim=-1):
    """Where the elements in order along an axis come from, stable."""
    return sort(x, descending, dim)[1]


@op("out")
def embedding(input: Array, weight: Array, padding_idx: int = -1):
    """weight[input] for numbers of any shape (int32 or int64); zeros for numbers that are none of weight's rows. Row padding_idx gets no gradient."""
    require_floats(weight=weight)
    require(len(weight.shape) == 2, f"`weight` has shape {tuple(weight.shape)}, but (rows, columns) is expected")
    require(dtype_name(input) in ("int32", "int64"), f"`input` has type {dtype_name(input)}, but int32 or int64 is expected")
    out = empty(weight, (*input.shape, weight.shape[1]))
    yield out
    weight = as_rows(weight)
    rows, columns = weight.shape
    block = min(VECTOR_BLOCK, power_of_two(columns))
    launch("embedding", "gather_rows", (math.prod(input.shape), cdiv(columns, block)), weight, contiguous(input), out, strides(weight)[0], rows, columns, block,
           cache_modifier(out), num_warps=warps(block))


@op("table")
def index_add(x: Array, index: Array, source: Array, skipped: int = -1):
    """A copy of the matrix x, to whose rows index[i] (int32 or int64) source[i] is added, for all i in their order; the number `skipped` is left out."""
    require_floats(x=x, source=source)
    require(len(x.shape) == 2, f"`x` has shape {tuple(x.shape)}, but (rows, columns) is expected")
    require(dtype_name(index) in ("int32", "int64") and len(index.shape) == 1, f"`index` has type {dtype_name(index)} and shape {tuple(index.shape)}, but a vector of int32 or int64 is expected")
    require_shape("source", source, (index.shape[0], x.shape[1]))
    table = empty(x, x.shape)
    yield table
    table[...] = x
    source, (rows, columns), count = as_rows(source), x.shape, index.shape[0]
    clean = empty(index, index.shape, "int32")
    launch("embedding", "clean_index", (cdiv(count, 1024), ), contiguous(index), clean, count, rows, skipped, 1024)
    numbers, places = sorted_with_places(clean, cdiv(rows.bit_length(), 4) * 4, False)
    block = min(1024, power_of_two(columns))
    launch("embedding", "add_rows", (count, cdiv(columns, block)), source, numbers, places, table, strides(source)[0], columns, count, rows, columns, block)


@index_add.gradient
def _(grad_table, index, skipped):
    return grad_table.clone(), None, embedding(index.where(index != skipped, -1), grad_table)


@embedding.gradient
def _(grad_out, input, weight, padding_idx):
    zeros = weight.new_zeros(weight.shape)
    return None, index_add(zeros, input.reshape(-1), grad_out.reshape(-1, weight.shape[1]), padding_idx)


def index_select(x, index):
    """The rows of a matrix that a vector names."""
    return embedding(index, x)


def _count(x, counts, low, high):
    """How many elements of a vector fall into each bin."""
    count, bins, block = math.prod(x.shape), counts.shape[0], 1024
    programs = min(max(cdiv(count, 4 * block), 1), row_programs(x, 16))
    partial = empty(x, (programs, bins), "int32")
    launch("histogram", "histogram", (programs, ), contiguous(x), partial, count, bins, low, high, power_of_two(bins + 1), block)
    launch("reduce", "reduce_columns", (cdiv(bins, 32), ), partial, counts, bins, programs, bins, "sum", 32, 32, num_warps=4)


@op("counts")
def bincount(x: Array, bins: int):
    """How many elements of x (int32, int64 or uint8) are 0, 1, … bins - 1, int32; others are not counted. At most 8191 bins."""
    require(dtype_name(x) in ("int32", "int64", "uint8"), f"`x` has type {dtype_name(x)}, but int32, int64 or uint8 is expected")
    require(1 <= bins < 8192, f"there are {bins} bins, but 1 to 8191 are expected")
    counts = empty(x, (bins, ), "int32")
    yield counts
    _count(x, counts, 0.0, 1.0)


@op("counts")
def histc(x: Array, bins: int, low: float, high: float):
    """How many elements of x fall into each of some bins of equal width between low and high, int32; others and NaN are not counted."""
    require_floats(x=x)
    require(1 <= bins < 8192, f"there are {bins} bins, but 1 to 8191 are expected")
    require(low < high, f"the first bin begins at {low}, which is not below the end of the last one, {high}")
    counts = empty(x, (bins, ), "int32")
    yield counts
    _count(x, counts, float(low), float(high))

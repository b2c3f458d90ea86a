"""Elements by their numbers, by a mask, and the values that a vector has."""
from __future__ import annotations

import math

from ._arrays import contiguous, dtype_name, empty, is_torch, on_gpu, require, require_floats, require_places, require_shape
from ._declare import op
from ._library import cache_modifier, cdiv, launch
from .ordering import sorted_with_places

_BLOCK = 1024


def _along(whole, dim, index, part=None):
    """(whole as far as index goes along the other axes, (its length, that of index, the elements of one place) along the axis)."""
    require(dtype_name(index) in ("int32", "int64"), f"`index` has type {dtype_name(index)}, but int32 or int64 is expected")
    rank = len(whole.shape)
    require(rank == len(index.shape) and -rank <= dim < rank, f"there is no axis {dim} of `input` with shape {tuple(whole.shape)} and `index` with {tuple(index.shape)}")
    dim %= rank
    shape = (*index.shape[:dim], whole.shape[dim], *index.shape[dim + 1:])
    require(all(n <= most for n, most in zip(shape, whole.shape)), f"`index` has shape {tuple(index.shape)}, but at most {tuple(whole.shape)} is expected, apart from axis {dim}")
    if part is not None:
        require(rank == len(part.shape) and all(n <= most for n, most in zip(index.shape, part.shape)), f"`src` has shape {tuple(part.shape)}, but at least {tuple(index.shape)} is expected")
        require(part.dtype == whole.dtype, f"`src` has type {dtype_name(part)}, but `input` has {dtype_name(whole)}")
    return _corner(whole, shape), (whole.shape[dim], index.shape[dim], math.prod(shape[dim + 1:]))


def _corner(x, shape):
    return x if tuple(x.shape) == tuple(shape) else x[tuple(slice(n) for n in shape)]


def _in_corner(x, shape):
    """x, and zeros around it."""
    if tuple(x.shape) == tuple(shape):
        return x
    out = x.new_zeros(shape)
    _corner(out, x.shape)[...] = x
    return out


@op("out")
def gather(input: Array, dim: int, index: Array):
    """torch's gather: out[…, j, …] = input[…, index[…, j, …], …] along an axis; along the others index may be shorter than input. A number that is no place gives 0."""
    part, sizes = _along(input, dim, index)
    out = empty(input, index.shape)
    yield out
    count = math.prod(index.shape)
    launch("gather", "gather", (cdiv(count, _BLOCK), ), contiguous(part), contiguous(index), out, count, *sizes, _BLOCK, cache_modifier(out))


def _changed_corner(out, input, index, dim, change):
    """out = input, where `change` has written to as much of it as index goes to."""
    out[...] = input
    part, _ = _along(out, dim, index)
    whole = contiguous(part)
    change(whole)
    if whole is not part:
        part[...] = whole


@op("out")
def scatter(input: Array, dim: int, index: Array, src: Array):
    """torch's scatter: a copy of input with out[…, index[…, j, …], …] = src[…, j, …] along an axis; of two that name one place any may stay. Along the other axes index may be shorter than input, along all of them than src."""
    _, sizes = _along(input, dim, index, src)
    out = empty(input, input.shape)
    yield out
    count, src = math.prod(index.shape), contiguous(_corner(src, index.shape))
    _changed_corner(out, input, index, dim, lambda part: launch("gather", "scatter", (cdiv(count, _BLOCK), ), src, contiguous(index), part, count, *sizes, _BLOCK))


@op("out")
def scatter_sum(input: Array, dim: int, index: Array, src: Array, in_order: bool):
    """See `scatter_add`."""
    require_floats(input=input, src=src)
    part, sizes = _along(input, dim, index, src)
    outside = math.prod(part.shape)
    require_places("input", outside)
    require_places("index", math.prod(index.shape))
    out = empty(input, input.shape)
    yield out
    count, src = math.prod(index.shape), contiguous(_corner(src, index.shape))

    def add(part):
        if not in_order:
            launch("gather", "scatter_add", (cdiv(count, _BLOCK), ), src, contiguous(index), part, count, *sizes, _BLOCK)
            return
        targets = empty(index, (count, ), "int32")
        launch("gather", "scatter_targets", (cdiv(count, _BLOCK), ), contiguous(index), targets, count, *sizes, outside, _BLOCK)
        targets, places = sorted_with_places(targets, cdiv(outside.bit_length(), 4) * 4, False)
        launch("gather", "add_sorted", (cdiv(count, 128), ), src, targets, places, part, count, outside, 128)

    _changed_corner(out, input, index, dim, add)


def scatter_add(input, dim, index, src, in_order=None):
    """torch's scatter_add: a copy of input with out[…, index[…, j, …], …] += src[…, j, …] along an axis; shapes as for `scatter`. in_order: in the order of the elements and in fp32, the same on every run; else by atomics. By itself it is in order but for
    float32 on a GPU, and there if torch.use_deterministic_algorithms asks for it."""
    if in_order is None:
        in_order = True
        if on_gpu(input) and dtype_name(input) == "float32":
            import torch
            in_order = torch.are_deterministic_algorithms_enabled()
    return scatter_sum(input, dim, index, src, in_order)


@gather.gradient
def _(grad_out, input, dim, index):
    return scatter_add(grad_out.new_zeros(input.shape), dim, index, grad_out)


@scatter_sum.gradient
def _(grad_out, dim, index, src):
    return grad_out.clone(), None, _in_corner(gather(grad_out, dim, index), src.shape)


@scatter.gradient
def _(grad_out, dim, index, src):
    return scatter(grad_out, dim, index, grad_out.new_zeros(index.shape)), None, _in_corner(gather(grad_out, dim, index), src.shape)


def _chunks(x):
    """(grid, chunk) of a vector."""
    count = math.prod(x.shape)
    programs = min(max(cdiv(count, 4 * _BLOCK), 1), 512 if on_gpu(x) else 16)
    return (programs, ), max(_BLOCK, cdiv(cdiv(count, programs), _BLOCK) * _BLOCK)


def packed_places(mask):
    """(where a contiguous vector is not 0, int32 as long as it; int32 [1]: how many there are)"""
    count, (grid, chunk) = mask.shape[0], _chunks(mask)
    counts, places, number = empty(mask, grid, "int32"), empty(mask, (count, ), "int32"), empty(mask, (1, ), "int32")
    launch("compaction", "count_kept", grid, mask, counts, count, chunk, "mask", _BLOCK)
    launch("compaction", "compact", grid, None, mask, counts, None, places, number, count, chunk, _BLOCK, 128)
    return places, number


@op("out places number")
def compact(x: Array, mask: Array):
    """(the elements of x whose mask is not 0, their places in x, int64 [1]: how many there are): vectors as long as x, of which so many count."""
    require_shape("mask", mask, x.shape)
    count = math.prod(x.shape)
    require_places("x", count)
    out, places, number = empty(x, (count, )), empty(x, (count, ), "int64"), empty(x, (1, ), "int64")
    yield out, places, number
    mask, (grid, chunk) = contiguous(mask), _chunks(x)
    counts = empty(x, grid, "int32")
    launch("compaction", "count_kept", grid, mask, counts, count, chunk, "mask", _BLOCK)
    launch("compaction", "compact", grid, contiguous(x), mask, counts, out, places, number, count, chunk, _BLOCK, 128)


@compact.gradient
def _(grad_out, grad_places, grad_number, x, places, number):
    import torch
    behind = torch.arange(places.shape[0], device=places.device) >= number  # what has no meaning goes to a place of its own
    grad = grad_out.new_zeros(places.shape[0] + 1).scatter(0, places.masked_fill(behind, places.shape[0]), grad_out)
    return grad[:-1].reshape(x.shape), None


def masked_select(input, mask):
    """The elements of input whose mask is not 0, as a vector; the two have one shape. Waits for the device: it must know how many there are."""
    out, _, number = compact(input, mask)
    return out[:int(number[0])]


def nonzero(input):
    """[n, axes], int64: where input is not 0, in order. Waits for the device."""
    _, places, number = compact(input, input)
    places = places[:int(number[0])]
    columns = []
    for size in reversed(input.shape):
        columns.append(places % size)
        places = places // size
    if is_torch(input):
        import torch
        return torch.stack(columns[::-1], dim=1) if columns else places.new_empty((places.shape[0], 0))
    import numpy
    return numpy.stack(columns[::-1], axis=1) if columns else numpy.empty((places.shape[0], 0), numpy.int64)


@op("values inverse counts number")
def unique_values(x: Array):
    """(the different values of x in ascending order, for each element the number of its value, how often each value occurs, int64 [1]: how many values there are): vectors as long as x."""
    require(dtype_name(x) in ("float32", "int32", "int64"), f"`input` has type {dtype_name(x)}, but float32, int32 or int64 is expected")
    count = math.prod(x.shape)
    require_places("input", count)
    values, number = empty(x, (count, )), empty(x, (1, ), "int64")
    inverse, counts = (empty(x, (count, ), "int64") for _ in range(2))
    yield values, inverse, counts, number
    (grid, chunk), kept = _chunks(x), empty(x, _chunks(x)[0], "int32")
    ordered, places = sorted_with_places(contiguous(x).reshape(-1), 64 if dtype_name(x) == "int64" else 32, False)
    starts = empty(x, (count, ), "int32")
    launch("compaction", "count_kept", grid, ordered, kept, count, chunk, "firsts", _BLOCK)
    launch("compaction", "unique_of_sorted", grid, ordered, places, kept, values, inverse, starts, number, count, chunk, _BLOCK, 128)
    launch("compaction", "run_lengths", (cdiv(count, _BLOCK), ), starts, number, counts, count, _BLOCK)


def unique(input, return_inverse=False, return_counts=False):
    """The different values of an array in ascending order, as torch has them: float32, int32 or int64; each NaN is a value of its own. Then, as asked, for each element the number of its value, and how often each value occurs.
    Waits for the device."""
    values, inverse, counts, number = unique_values(input)
    number = int(number[0])
    found = (values[:number], *([inverse.reshape(input.shape)] if return_inverse else []), *([counts[:number]] if return_counts else []))
    return found if len(found) > 1 else found[0]

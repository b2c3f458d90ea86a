"""What all elements so far along an axis come to: sums, products, maxima, sums of segments, steps h[t] = a[t] * h[t - 1] + b[t]."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, dtype_name, empty, moved_from_last, moved_last, on_gpu, require, require_floats, require_places, require_shape, strides, zeros
from ._declare import op
from ._library import cdiv, launch, power_of_two

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8")


def _launch(kernel, words, longest, arrays, *settings, initial=(), between=(), warps=4, **more):
    """A kernel of kernels/scan on matrices of one shape, the last of which is its result; `initial` stands before it, `between` behind."""
    (rows, columns), out = arrays[0].shape, arrays[-1]
    block = min(max(power_of_two(columns), 256), longest)
    programs = rows * cdiv(columns, block)
    state = zeros(out, (2 + words * programs, ), "int64")
    launch("scan", kernel, (programs, ), *arrays[:-1], *initial, out, *between, state, *(strides(each)[0] for each in arrays), columns, *settings, block, warps, 32, num_warps=warps, **more)  # a line for each warp


def _accumulated(x, dim, kind, reverse=False):
    is_integer = dtype_name(x) in _INTEGERS
    if not is_integer:
        require_floats(input=x)
    require(-len(x.shape) <= dim < len(x.shape), f"there is no axis {dim} of {len(x.shape)}")
    x = moved_last(x, dim)
    require_places("input", x.shape[-1])
    out = empty(x, x.shape, "int64" if is_integer and kind in ("sum", "prod") else None)
    yield moved_from_last(out, dim)
    rows = as_rows(x)
    _launch("scan", 2 if is_integer else 1, 4096, (rows, out.reshape(rows.shape)), kind, REVERSE=reverse)


@op("out")
def cumsum(input: Array, dim: int = -1, reverse: bool = False):
    """torch's sums of all elements so far along an axis, or from its end; those of integers are int64. Sums of floats are made in fp32, and may differ in their last bits from run to run."""
    yield from _accumulated(input, dim, "sum", reverse)


@cumsum.gradient
def _(grad_out, input, dim, reverse):
    return cumsum(grad_out, dim, not reverse)


@op("out")
def cumprod(input: Array, dim: int = -1):
    """torch's products of all elements so far along an axis; those of integers are int64. Products of floats are made in fp32."""
    yield from _accumulated(input, dim, "prod")


@op("out")
def running_max(input: Array, dim: int = -1):
    """The largest element so far along an axis; NaN from the first NaN on."""
    yield from _accumulated(input, dim, "max")


@op("out")
def running_min(input: Array, dim: int = -1):
    """The smallest element so far along an axis; NaN from the first NaN on."""
    yield from _accumulated(input, dim, "min")


def _with_places(x, dim, kind):
    require(dtype_name(x) not in ("int64", "uint32", "uint64"), f"`input` has type {dtype_name(x)}, but integers that int32 holds are expected")
    if dtype_name(x) not in _INTEGERS:
        require_floats(input=x)
    require(-len(x.shape) <= dim < len(x.shape), f"there is no axis {dim} of {len(x.shape)}")
    x = moved_last(x, dim)
    require_places("input", x.shape[-1])
    values, indices = empty(x, x.shape), empty(x, x.shape, "int64")
    yield moved_from_last(values, dim), moved_from_last(indices, dim)
    rows = as_rows(x)
    _launch("scan_places", 2, 4096, (rows, values.reshape(rows.shape)), kind, between=(indices, ))


def _spread(grad_values, indices, dim):
    return grad_values.new_zeros(grad_values.shape).scatter_add_(dim, indices, grad_values)


@op("values indices")
def cummax(input: Array, dim: int = -1):
    """torch's (values, indices) of the largest element so far along an axis, the last of equal ones; a NaN is larger than all. Floats, and integers that int32 holds."""
    yield from _with_places(input, dim, "max")


@cummax.gradient
def _(grad_values, grad_indices, indices, dim):
    return _spread(grad_values, indices, dim)


@op("values indices")
def cummin(input: Array, dim: int = -1):
    """torch's (values, indices) of the smallest element so far along an axis, the last of equal ones; a NaN is smaller than all. Floats, and integers that int32 holds."""
    yield from _with_places(input, dim, "min")


@cummin.gradient
def _(grad_values, grad_indices, indices, dim):
    return _spread(grad_values, indices, dim)


@op("out")
def segmented_cumsum(x: Array, heads: Array):
    """Sums of all elements so far along the last axis, which begin anew where `heads`, of integers or bools, is not 0."""
    require_floats(x=x)
    require(dtype_name(heads) in (*_INTEGERS, "bool"), f"`heads` has type {dtype_name(heads)}, but integers are expected")
    require_shape("heads", heads, x.shape)
    require_places("x", x.shape[-1])
    out = empty(x, x.shape)
    yield out
    rows = as_rows(x)
    registers = {"maxnreg": 80} if on_gpu(x) else {}  # six programs on a multiprocessor instead of five: what they wait for comes sooner
    _launch("scan_segments", 1, 4096, (rows, as_rows(heads), out.reshape(rows.shape)), **registers)


@op("h")
def linear_scan(a: Array, b: Array, initial: Array | None = None):
    """h[..., t] = a[..., t] * h[..., t - 1] + b[..., t] along the last axis; initial, without that axis, is h before the first step. `linear_recurrence` has many channels side by side."""
    require_floats(a=a, b=b, initial=initial)
    require_shape("b", b, a.shape)
    require_places("a", a.shape[-1])
    if initial is not None:
        require_shape("initial", initial, a.shape[:-1])
    h = empty(b, b.shape)
    yield h
    rows = as_rows(a)
    initial = None if initial is None else contiguous(initial).reshape(rows.shape[0])
    _launch("scan_steps", 2, 8192, (rows, as_rows(b), h.reshape(rows.shape)), initial=(initial, ), warps=8)  # two numbers an element: fewer programs, which wait less

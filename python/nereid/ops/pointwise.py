"""Functions of every element by name, and what all elements along axes come to."""
from __future__ import annotations

import math

from ._arrays import as_rows, contiguous, converted, dtype_name, empty, is_torch, moved_last, require, require_floats, strides
from ._declare import op
from ._library import LONG_BLOCK, VECTOR_BLOCK, cache_modifier, cdiv, kernel, launch, power_of_two, warps

_UNARY = ("absolute", "asin", "atan", "bitwise_not", "ceil", "cos", "elu", "erf", "exp", "exp2", "floor", "gelu", "gelu_tanh", "isfinite", "isinf", "isnan", "leaky_relu", "log", "log2", "log_sigmoid",
          "logical_not", "negate", "reciprocal", "relu", "relu_squared", "rsqrt", "sigmoid", "silu", "sin", "softplus", "sqrt", "square", "tanh")  # yapf: disable
_BINARY = ("add", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "equal", "floor_divide", "greater", "greater_equal", "left_shift", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
           "maximum", "minimum", "multiply", "not_equal", "power", "remainder", "right_shift", "subtract")  # yapf: disable
_TERNARY = ("addcdiv", "addcmul", "clamp", "fma", "lerp", "where")
_KINDS = {**dict.fromkeys(_UNARY, "unary"), **dict.fromkeys(_BINARY, "binary"), **dict.fromkeys(_TERNARY, "ternary")}
_QUESTIONS = ("isnan", "isinf", "isfinite", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_not", "logical_and", "logical_or", "logical_xor")


@op("out")
def apply_function(function: str, x: Array, y: Array | None = None, z: Array | None = None):
    """See `pointwise`: arrays of one shape, or of one element."""
    operands = [each for each in (x, y, z) if each is not None]
    shape = max((tuple(each.shape) for each in operands), key=lambda shape: (math.prod(shape) != 1, len(shape)))
    for each in operands:
        require(tuple(each.shape) == shape or math.prod(each.shape) == 1, f"operands have shapes {tuple(each.shape)} and {shape}, but one is expected")
    out = empty(x, shape, "bool" if function in _QUESTIONS else dtype_name(operands[1 if function == "where" else 0]))
    yield out
    count = math.prod(shape)
    steps = tuple(int(tuple(each.shape) == shape) for each in operands) if len(operands) > 1 else ()
    launch("elementwise", _KINDS[function], (cdiv(count, VECTOR_BLOCK), ), *map(contiguous, operands), out, count, kernel("elementwise", function), VECTOR_BLOCK, cache_modifier(out), *steps,
           num_warps=warps(VECTOR_BLOCK))


def _as_array(value, like):
    if is_torch(like):
        import torch
        return value if isinstance(value, torch.Tensor) else torch.full((1, ), value, dtype=like.dtype, device=like.device)
    import numpy
    return value if isinstance(value, numpy.ndarray) else numpy.array([value], like.dtype)


def pointwise(function, *operands):
    """A function of every element by its name, of arrays and numbers, which are broadcast: one of absolute, cos, exp, …; add, divide, power, less, bitwise_and, …; clamp, lerp, where, … (kernels/elementwise lists them). Floats
    are computed in fp32 at least; questions give bools."""
    require(function in _KINDS, f"there is no function {function!r}; kernels/elementwise lists them")
    expected = {"unary": 1, "binary": 2, "ternary": 3}[_KINDS[function]]
    require(len(operands) == expected, f"`{function}` has {expected} operands, but {len(operands)} are given")
    like = next((each for each in (operands[1:] if function == "where" else operands) if hasattr(each, "shape") and len(each.shape) > 0), operands[0])
    require(hasattr(like, "shape"), "at least one operand must be an array")
    arrays = [_as_array(each, like) for each in operands]
    whole = [each for each in arrays if math.prod(each.shape) != 1]
    if len({tuple(each.shape) for each in whole}) > 1:
        if is_torch(like):
            import torch
            whole = iter(torch.broadcast_tensors(*whole))
        else:
            import numpy
            whole = iter(numpy.broadcast_arrays(*whole))
        arrays = [each if math.prod(each.shape) == 1 else next(whole) for each in arrays]
    return apply_function(function, *arrays)


_INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


@op("out")
def reduce_last(x: Array, kind: str, dtype: str):
    """All elements along the last axis taken together."""
    out = empty(x, x.shape[:-1], dtype)
    yield out
    rows = as_rows(x)
    block = min(LONG_BLOCK, power_of_two(rows.shape[1]))
    if kind.startswith("arg"):
        launch("reduce", "arg_rows", (rows.shape[0], ), rows, out, strides(rows)[0], rows.shape[1], kind[3:], block)
    else:
        launch("reduce", "reduce_rows", (rows.shape[0], ), rows, out, strides(rows)[0], rows.shape[1], kind, block, num_warps=warps(block))


@reduce_last.gradient
def _(grad_out, x, kind):
    if kind != "sum":
        raise RuntimeError(f"`nereid.ops.reduce` has no gradient of {kind!r}")
    return grad_out[..., None].expand(x.shape).to(x.dtype)


def _flattened(x, dim):
    """[…, the elements along the axes], and the axes that are left."""
    rank = len(x.shape)
    axes = tuple(range(rank)) if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim, )
    for axis in axes:
        require(-rank <= axis < rank, f"there is no axis {axis} of {rank}")
    axes = tuple(axis % rank for axis in axes)
    require(len(set(axes)) == len(axes), f"an axis of {tuple(axes)} is named twice")
    left = [axis for axis in range(len(x.shape)) if axis not in axes]
    for moved, axis in enumerate(sorted(axes)):
        x = moved_last(x, axis - moved)
    return x.reshape(*(x.shape[:len(left)]), math.prod(x.shape[len(left):])), axes


def reduce(x, kind, dim=None, keepdim=False):
    """All elements along axes (a number, several, or None for all) taken together: "sum" and "prod" (of integers int64), "mean", "max", "min", "argmax", "argmin" (int64, along one axis or all), "any", "all". The gradient is
    that of "sum" and "mean". NaN counts in sums and products; max and min pass over it."""
    require(kind in ("sum", "prod", "mean", "max", "min", "argmax", "argmin", "any", "all"), f"`kind` is {kind!r}, but sum, prod, mean, max, min, argmax, argmin, any or all is expected")
    shape, is_float = x.shape, dtype_name(x) in ("float32", "float16", "bfloat16", "float64")
    if kind in ("any", "all"):
        x = converted(pointwise("not_equal", x, 0), "int8")
    elif kind in ("sum", "prod") and not is_float:
        require(dtype_name(x) in _INTEGERS, f"`x` has type {dtype_name(x)}, but a float or an integer that int64 holds is expected")
        x = converted(x, "int64")
    elif kind == "mean":
        require_floats(x=x)
    flat, axes = _flattened(x, dim)
    require(flat.shape[-1] > 0 or kind in ("sum", "prod", "any", "all"), f"there is no {kind} of nothing")
    of = {"mean": "sum", "any": "max", "all": "min"}.get(kind, kind)
    if kind in ("any", "all") and flat.shape[-1] == 0:
        out = empty(flat, flat.shape[:-1])
        out[...] = kind == "all"
    else:
        out = _reduced(flat, of, "int64" if kind.startswith("arg") else dtype_name(flat))
    if kind in ("any", "all"):
        out = converted(out, "bool")
    elif kind == "mean":
        out = out / flat.shape[-1]
    return out.reshape([1 if axis in axes else size for axis, size in enumerate(shape)]) if keepdim else out


def _reduced(flat, kind, dtype):
    """In two steps where one row alone is long: one program would have it all."""
    count, width = flat.shape[-1], 16 * LONG_BLOCK
    if kind.startswith("arg") or math.prod(flat.shape[:-1]) > 16 or count <= width:
        return reduce_last(flat, kind, dtype)
    whole = count // width * width
    wide = "float32" if dtype in ("float16", "bfloat16") else dtype
    parts = reduce_last(flat[..., :whole].reshape(*flat.shape[:-1], whole // width, width), kind, wide)
    if whole < count:
        parts = _joined(parts, reduce_last(flat[..., whole:], kind, wide)[..., None])
    return reduce_last(parts, kind, dtype)


def _joined(a, b):
    if is_torch(a):
        import torch
        return torch.cat([a, b], dim=-1)
    import numpy
    return numpy.concatenate([a, b], axis=-1)


@op("variance mean")
def variance_of_rows(x: Array, correction: int):
    """Of the last axis."""
    require_floats(x=x)
    variance, mean = empty(x, x.shape[:-1], "float32"), empty(x, x.shape[:-1], "float32")
    yield variance, mean
    rows = as_rows(x)
    launch("reduce", "variance_rows", (rows.shape[0], ), rows, mean, variance, strides(rows)[0], rows.shape[1], correction, min(LONG_BLOCK, power_of_two(rows.shape[1])))


def var_mean(x, dim=None, correction=1, keepdim=False):
    """(variance, mean) along axes, float32, the former over n - correction."""
    flat, axes = _flattened(x, dim)
    require(flat.shape[-1] > 0, "there is no mean of nothing")
    found = variance_of_rows(flat, correction)
    return tuple(each.reshape([1 if axis in axes else size for axis, size in enumerate(x.shape)]) if keepdim else each for each in found)

"""Order among elements."""
from __future__ import annotations

from ._arrays import as_rows, empty, require, require_floats, strides
from ._declare import op
from ._library import launch, power_of_two


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
    most = power_of_two(k)
    launch("topk", "topk_rows", (rows, ), x, values, indices, strides(x)[0], columns, k, most, max(most, min(1024, power_of_two(columns))), largest)


@topk.gradient
def _(grad_values, grad_indices, x, indices):
    return grad_values.new_zeros(x.shape).scatter_(-1, indices, grad_values)

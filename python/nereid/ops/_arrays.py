"""What operations ask of a torch tensor and of a numpy array alike: memory of the same kind, strides, views by rows."""
from __future__ import annotations

import math


def is_torch(x):
    return hasattr(x, "new_empty")


def on_gpu(x):
    return getattr(x, "is_cuda", False) is True


def dtype_name(x):
    """`float32`, `bfloat16`, …"""
    return str(x.dtype).rpartition(".")[2]


def dtype_of(x, name):
    """A type as `x`'s library has it."""
    if is_torch(x):
        import torch
        return getattr(torch, name)
    import numpy
    return numpy.dtype(name)


def converted(x, name):
    """`x` as that type."""
    return x.to(dtype_of(x, name)) if is_torch(x) else x.astype(name)


def empty(x, shape, dtype=None):
    """Memory where `x` has its own, contiguous; of its type unless another one is named."""
    if is_torch(x):
        return x.new_empty(shape) if dtype is None else x.new_empty(shape, dtype=dtype_of(x, dtype))
    import numpy
    return numpy.empty(shape, x.dtype if dtype is None else dtype)


def zeros(x, shape, dtype=None):
    """As `empty`, but with zeros in it."""
    result = empty(x, shape, dtype)
    result[...] = 0
    return result


def empty_like(x):
    """Of the same strides where `x` has no gaps and no overlap."""
    if is_torch(x):
        import torch
        return torch.empty_like(x)
    import numpy
    return numpy.empty_like(x, order="K" if all(step or extent < 2 for extent, step in zip(x.shape, x.strides)) else "C")  # "K" makes the axis that repeats elements the nearest


def strides(x):
    """In elements."""
    return tuple(x.stride()) if is_torch(x) else tuple(stride // x.itemsize for stride in x.strides)


def countable(x):
    """`x`, or a copy of an array of numpy whose elements a kernel cannot count: they stand backwards, or in steps that are no multiple of their size, as fields of a structure may."""
    flags = getattr(x, "flags", None)
    if flags is None or flags.c_contiguous or all(step >= 0 and step % x.itemsize == 0 for step in x.strides):
        return x
    return x.copy()


def contiguous(x):
    if is_torch(x):
        return x.contiguous()
    import numpy
    return numpy.ascontiguousarray(x)


def is_differentiated(*arrays):
    """Whether torch will ask for a gradient of one of them."""
    tensors = [x for x in arrays if x is not None and is_torch(x)]
    if not tensors:
        return False
    import torch
    return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)


def unit_rows(x):
    """`x`, or a copy of it, with a contiguous last axis."""
    return x if x.shape[-1] <= 1 or strides(x)[-1] == 1 else contiguous(x)


def dense(x):
    """`x`, or a contiguous copy if a gradient could not have its strides."""
    x = unit_rows(x)
    return x if strides(empty_like(x)) == strides(x) else contiguous(x)


def as_rows(x):
    """[rows, columns]: the last axis, which is contiguous, and all others as one."""
    return unit_rows(x.reshape(math.prod(x.shape[:-1]), x.shape[-1]))


def sum_to(x, shape):
    """`x` summed over the axes that `shape` has one element of."""
    axes = tuple(axis for axis, (have, want) in enumerate(zip(x.shape, shape)) if have != want)
    return x.sum(axes, keepdims=True) if axes else x


def moved_last(x, axis):
    """`x` with that axis as the last one."""
    if is_torch(x):
        return x.movedim(axis, -1)
    import numpy
    return numpy.moveaxis(x, axis, -1)


def moved_from_last(x, axis):
    """`x` with the last axis in that place."""
    if is_torch(x):
        return x.movedim(-1, axis)
    import numpy
    return numpy.moveaxis(x, -1, axis)


def copied(x, like):
    """A copy with the strides of `like`."""
    result = empty_like(like)
    if is_torch(x):
        result.copy_(x)
    else:
        result[...] = x
    return result


_tables = {}  # on devices: a CUDA graph that is being recorded takes no copy from the host


def table_beside(x, values):
    """A tuple of numbers as float32, where `x` lies."""
    if is_torch(x):
        import torch
        key = values, x.device
        if key not in _tables:
            _tables[key] = torch.tensor(values, dtype=torch.float32, device=x.device)
        return _tables[key]
    import numpy
    return numpy.array(values, numpy.float32)


def require(condition, message):
    """Wrong use of an operation."""
    if not condition:
        raise ValueError(message)


def pair(name, value):
    """A setting of both axes of a picture: one number for both, or one for each."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value, )
    require(len(values) in (1, 2), f"`{name}` has {len(values)} numbers, but one, or one for each of two axes, is expected")
    return values * 2 if len(values) == 1 else values


def require_shape(name, x, shape):
    require(tuple(x.shape) == tuple(shape), f"`{name}` has shape {tuple(x.shape)}, but {tuple(shape)} is expected")


def require_product(a, b):
    """a @ b of two matrices."""
    require(len(a.shape) == 2 and len(b.shape) == 2 and a.shape[1] == b.shape[0], f"shapes {tuple(a.shape)} and {tuple(b.shape)} have no product")


def host_numbers(x):
    """The numbers of an array in the host's memory, as numpy has them; None of one on a GPU: to look there would mean to wait."""
    if x is None or on_gpu(x):
        return None
    import numpy
    return numpy.asarray(x)


_MOST_PLACES = 2**31 - 2**21  # of 32 bits, with room for the last programs, which end behind the array


def require_places(name, count):
    """For kernels that count places in 32 bits."""
    require(count <= _MOST_PLACES, f"`{name}` has {count} elements, but at most {_MOST_PLACES} can be counted")


def require_within(name, x, low, high):
    """No number of `x` leads outside of what it counts. A look at values: behind `yield`."""
    numbers = host_numbers(x)
    if numbers is not None and numbers.size:
        least, most = numbers.min(), numbers.max()
        require(low <= least and most <= high, f"`{name}` has numbers from {least} to {most}, but {low} to {high} are expected")


def require_ascending(name, x, high):
    """Places, one behind another, from 0 to `high`."""
    require_within(name, x, 0, high)
    numbers = host_numbers(x)
    require(numbers is None or bool((numbers[1:] >= numbers[:-1]).all()), f"the numbers of `{name}` must ascend")


def require_segments(name, starts, high, longest_name, longest):
    """Runs of rows, starts[i] … starts[i + 1] - 1, of which none is longer than the caller says: what lies behind would not be computed."""
    require_ascending(name, starts, high)
    numbers = host_numbers(starts)
    if numbers is not None and len(numbers) > 1:
        most = (numbers[1:] - numbers[:-1]).max()
        require(most <= longest, f"`{longest_name}` is {longest}, but there is a run of {most} rows in `{name}`")


def require_floats(**arrays):
    for name, x in arrays.items():
        if x is not None:
            require(dtype_name(x) in ("float32", "float16", "bfloat16"), f"`{name}` has type {dtype_name(x)}, but float32, float16 or bfloat16 is expected")

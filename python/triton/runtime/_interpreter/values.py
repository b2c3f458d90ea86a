"""Values of a kernel that runs as Python, as operands and results of operations.

An operand is described in two ways: by its kind, a small hashable object that operations are kept by, and by its spec, from
which the library compiles an operation (see python/native/Operation.h).
"""
from functools import lru_cache

import numpy as np

from ...language import core as tl
from ...language._constexpr import constexpr
from ...language._tensor import tensor, tensor_descriptor
from .._callable import JITCallable
from .handle import LANGUAGE_NAMES, BlockPointerHandle, TensorDescHandle, TensorHandle, _get_np_dtype


class LoopIndex(int):
    """The variable of a loop: a Python int, which operations take as the run-time number that it is in a compiled kernel."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(scalar(int(self)), name)  # dtype, to, …

    def __add__(self, other):
        return _index(int.__add__(self, other))

    def __radd__(self, other):
        return _index(int.__radd__(self, other))

    def __sub__(self, other):
        return _index(int.__sub__(self, other))

    def __rsub__(self, other):
        return _index(int.__rsub__(self, other))

    def __mul__(self, other):
        return _index(int.__mul__(self, other))

    def __rmul__(self, other):
        return _index(int.__rmul__(self, other))

    __repr__ = int.__repr__
    __str__ = int.__repr__


def _index(result):
    return LoopIndex(result) if type(result) is int else result


@lru_cache(maxsize=None)
def spelled(dtype):
    """A scalar type as the library writes it: fp32, *fp32, *kfp32."""
    return f"*{'k' if dtype.is_const() else ''}{spelled(dtype.element_ty)}" if dtype.is_ptr() else dtype.name


@lru_cache(maxsize=None)
def type_spelled(text):
    if not text.startswith("*"):
        return tl.dtype(text)
    is_const = text.startswith("*k")
    return tl.pointer_type(type_spelled(text[2 if is_const else 1:]), const=is_const)


@lru_cache(maxsize=None)
def block_of(dtype, shape):
    return tl.block_type(dtype, shape) if shape else dtype


def kind_of_type(text, shape):
    return f"{text}{list(shape)}" if shape else text


def tensor_of(data, dtype, shape=None):
    """A tensor of an array; without a shape that of the array, where a scalar is one element with the shape ()."""
    return tensor(TensorHandle(data, dtype), block_of(dtype, data.shape if shape is None else shape))


def scalar(value):
    """A Python number as a scalar of the type that the language gives it."""
    from .operation import scalar_type
    dtype = scalar_type(value)
    return tensor_of(np.array([value], dtype=_get_np_dtype(dtype)), dtype, ())


def array_tensor(array):
    """A numpy array as a tile."""
    name = LANGUAGE_NAMES.get(array.dtype.name)
    if name is None:
        raise TypeError(f"an array of {array.dtype} is no tile: convert it with `astype`")
    shape = array.shape
    return tensor_of(np.ascontiguousarray(array).reshape(shape or (1, )), tl.dtype(name), shape)


def kind_of_tensor(value):
    return kind_of_type(spelled(value.dtype), value.type.shape if value.type.is_block() else ())


def _plain(value):
    """The same operand as tensor, descriptor, tuple or constant of Python."""
    while isinstance(value, constexpr):
        value = value.value
    if isinstance(value, np.ndarray):
        return array_tensor(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tl.tuple):
        return tuple(value.values)
    if isinstance(value, tl.block_type):
        return value.scalar  # of a type, its elements count
    return value


def kind_of(value, arrays):
    """The kind of an operand; its arrays go to the list."""
    cls = type(value)
    if cls is tensor:
        handle = value.handle
        if type(handle) is TensorHandle:
            arrays.append(handle.data)
        elif type(handle) is BlockPointerHandle:
            arrays.extend(part.data for part in handle.parts())
        return value._kind
    if cls is LoopIndex:
        index = scalar(int(value))
        arrays.append(index.handle.data)
        return index._kind
    if value is None or cls is int or cls is bool or cls is str:
        return cls, value
    if cls is float:
        return cls, value.hex()  # -0.0 is not 0.0, and a NaN is another one
    if isinstance(value, tensor_descriptor):
        handle = value.handle
        arrays.append(handle.data)
        arrays.extend(part.data for part in (*handle.shape, *handle.strides))
        return "descriptor", spelled(value.dtype), tuple(handle.block_shape), handle.padding
    if cls is tuple or cls is list or (isinstance(value, tuple) and hasattr(value, "_fields")):
        return cls, *[kind_of(item, arrays) for item in value]
    plain = _plain(value)
    if plain is not value:
        return kind_of(plain, arrays)
    if isinstance(value, tl.dtype):
        return "dtype", repr(value)
    if isinstance(value, JITCallable):
        return "function", value, _meaning(value, set())
    hash(value)  # what cannot be a key is no operand
    return "object", value


def handles_of(value):
    """The handles of an operand, one for each array; those of a visualizer may be objects of its own."""
    value = _plain(value)
    if isinstance(value, LoopIndex):
        return [scalar(int(value)).handle]
    if isinstance(value, tensor):
        return value.handle.parts() if isinstance(value.handle, BlockPointerHandle) else [value.handle]
    if isinstance(value, tensor_descriptor):
        return [value.handle, *value.handle.shape, *value.handle.strides]
    if isinstance(value, (tuple, list)):
        return [handle for item in value for handle in handles_of(item)]
    return []


def _meaning(function, seen):
    """What a jit function is compiled from: its text, and the constants and functions that its names stand for now."""
    if id(function) in seen:
        return ()
    seen.add(id(function))
    captured, names = function._scopes()
    used = []
    for name in (*function.fn.__code__.co_names, *function.fn.__code__.co_freevars):
        value = captured.get(name, names.get(name))
        if isinstance(value, JITCallable):
            used.append(_meaning(value, seen))
        elif isinstance(value, (int, float, str, tuple, constexpr, tl.dtype)):
            used.append(repr(value))
    return function.src, tuple(used)


def holds_tensor(value):
    if isinstance(value, (tuple, list, tl.tuple)):
        return any(map(holds_tensor, value))
    return isinstance(_plain(value), (tensor, tensor_descriptor, LoopIndex))


def spec_of(value):
    """How the library is told of an operand."""
    value = _plain(value)
    if isinstance(value, LoopIndex):
        value = scalar(int(value))
    if isinstance(value, tensor):
        handle = value.handle
        if isinstance(handle, BlockPointerHandle):
            form, parts, *rest = value._kind
            return form, [("tensor", part, ()) for part in parts], *rest
        return "tensor", spelled(value.dtype), value.type.shape if value.type.is_block() else ()
    if isinstance(value, tensor_descriptor):
        handle = value.handle
        return "descriptor", spelled(value.dtype), tuple(handle.block_shape), handle.padding == "nan"
    if isinstance(value, (tuple, list)) and holds_tensor(value):
        return "tuple", type(value) if hasattr(value, "_fields") else None, [spec_of(item) for item in value]
    return "constant", value


# ---- Results: how they are made from the arrays of an operation.

def _tensor_maker(text, shape, number, outputs):
    dtype = type_spelled(text)
    type, kind = block_of(dtype, shape), kind_of_type(text, shape)
    outputs.append((shape or (1, ), _get_np_dtype(dtype)))

    def make(arrays):
        made = tensor.__new__(tensor)
        made.handle, made.type, made.dtype, made._kind = TensorHandle(arrays[number], dtype), type, dtype, kind
        return made

    return make


def _descriptor_maker(text, block_shape, is_nan, parts, number, outputs):
    outputs.append(((_DESCRIPTOR_BYTES, ), np.dtype("uint8")))
    dtype = type_spelled(text)
    pointer, block = tl.pointer_type(dtype), block_of(dtype, block_shape)
    makers = [result_maker(part, outputs) for part in parts]
    rank = len(block_shape)

    def make(arrays):
        data = arrays[number]
        base = TensorHandle(data[:8].view(np.uint64), pointer)
        made = [maker(arrays) for maker in makers]
        handle = TensorDescHandle(base, [part.handle for part in made[:rank]], [part.handle for part in made[rank:]],
                                  list(block_shape), "nan" if is_nan else "zero", data)
        return tensor_descriptor(handle, made[:rank], made[rank:], block)

    return make


def _block_pointer_maker(parts, block_shape, order, outputs):
    makers = [result_maker(part, outputs) for part in parts]
    return lambda arrays: block_pointer([maker(arrays).handle for maker in makers], parts, block_shape, order)


def block_pointer(handles, parts, block_shape, order):
    """A block pointer of the handles of its parts: base, extents, strides and offsets."""
    rank = len(block_shape)
    base, *rest = handles
    handle = BlockPointerHandle(base, rest[:rank], rest[rank:2 * rank], rest[2 * rank:], list(block_shape), list(order))
    texts = tuple(part[1] for part in parts)
    made = tensor(handle, tl.pointer_type(block_of(type_spelled(texts[0]).element_ty, block_shape)))
    made._kind = "block_pointer", texts, tuple(block_shape), tuple(order)
    return made


def result_maker(description, outputs):
    """A function that makes the result that the library describes from arrays; those are added to `outputs`."""
    form, *rest = description
    if form == "tensor":
        return _tensor_maker(*rest, outputs)
    if form == "descriptor":
        return _descriptor_maker(*rest, outputs)
    if form == "block_pointer":
        return _block_pointer_maker(*rest, outputs)
    if form == "constant":
        return lambda arrays: rest[0]
    cls, items = rest
    makers = [result_maker(item, outputs) for item in items]
    if cls is None:
        return lambda arrays: tuple([maker(arrays) for maker in makers])
    return lambda arrays: cls(*[maker(arrays) for maker in makers])


_DESCRIPTOR_BYTES = 96  # nereid::interp::Descriptor

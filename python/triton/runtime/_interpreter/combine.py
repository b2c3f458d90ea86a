"""Reductions, scans and maps whose function is called by Python, with one element at a time."""
import numpy as np

from .values import _plain, scalar, tensor_of


def _tensors(input):
    input = _plain(input)
    return list(input) if isinstance(input, tuple) else [input], isinstance(input, tuple)


def _element(array, index, dtype):
    return tensor_of(np.array([array[index]], dtype=array.dtype), dtype, ())


def _called(function, arguments, dtypes):
    """The results of one call, as elements of the types."""
    results = _plain(function(*arguments))
    results = results if isinstance(results, tuple) else (results, )
    if len(results) != len(dtypes):
        raise ValueError(f"the function gives {len(results)} values, but {len(dtypes)} are combined")
    results = [result if hasattr(result, "handle") else scalar(result) for result in results]
    return [result.to(dtype).handle.data.reshape(-1)[0] for result, dtype in zip(results, dtypes)]


def _checked_axis(axis, rank):
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for {rank} dimensions")
    return axis % rank


def _fold(function, tensors, axis, keep):
    """Combines along an axis; `keep(j, index, value)` is called with each running value of tensor j."""
    dtypes = [each.dtype for each in tensors]
    arrays = [np.moveaxis(each.handle.data, axis, -1) for each in tensors]
    for outer in np.ndindex(arrays[0].shape[:-1]):
        running = [array[outer][0] for array in arrays]
        keep(outer, 0, running)
        for i in range(1, arrays[0].shape[-1]):
            left = [tensor_of(np.array([value], dtype=array.dtype), dtype, ()) for value, array, dtype in zip(running, arrays, dtypes)]
            right = [_element(array[outer], i, dtype) for array, dtype in zip(arrays, dtypes)]
            running = _called(function, [*left, *right], dtypes)
            keep(outer, i, running)


def reduce(input, axis, function, keep_dims):
    tensors, is_tuple = _tensors(input)
    rank = len(tensors[0].handle.data.shape)
    if axis is None:
        tensors = [tensor_of(each.handle.data.reshape(-1), each.dtype) for each in tensors]
    along = 0 if axis is None else _checked_axis(axis, rank)
    shape = tensors[0].handle.data.shape
    outer_shape = shape[:along] + shape[along + 1:]
    results = [np.empty(outer_shape, dtype=each.handle.data.dtype) for each in tensors]

    def keep(outer, i, running):
        for result, value in zip(results, running):
            result[outer] = value

    _fold(function, tensors, along, keep)
    final = [1] * rank if axis is None else [*outer_shape[:along], 1, *outer_shape[along:]]
    shape = tuple(final) if keep_dims else outer_shape
    made = tuple(tensor_of(result.reshape(shape or (1, )), each.dtype, shape) for result, each in zip(results, tensors))
    return made if is_tuple else made[0]


def associative_scan(input, axis, function, reverse):
    tensors, is_tuple = _tensors(input)
    along = _checked_axis(axis, len(tensors[0].handle.data.shape))
    if reverse:
        tensors = [tensor_of(np.flip(each.handle.data, along), each.dtype) for each in tensors]
    results = [np.empty_like(np.moveaxis(each.handle.data, along, -1)) for each in tensors]

    def keep(outer, i, running):
        for result, value in zip(results, running):
            result[(*outer, i)] = value

    _fold(function, tensors, along, keep)
    arrays = [np.moveaxis(result, -1, along) for result in results]
    if reverse:
        arrays = [np.flip(array, along) for array in arrays]
    made = tuple(tensor_of(np.ascontiguousarray(array), each.dtype) for array, each in zip(arrays, tensors))
    return made if is_tuple else made[0]


def map_elementwise(function, inputs, pack):
    arrays = np.broadcast_arrays(*[each.handle.data for each in inputs])
    flat = [array.reshape(-1) for array in arrays]
    results = []
    for start in range(0, flat[0].size, pack):
        elements = [_element(array, start + i, each.dtype) for array, each in zip(flat, inputs) for i in range(pack)]
        given = _plain(function(*elements))
        given = given if isinstance(given, tuple) else (given, )
        results.append([value if hasattr(value, "handle") else scalar(value) for value in given])
    made = []
    for j in range(0, len(results[0]), pack):
        dtype = results[0][j].dtype
        column = [row[j + i].handle.data.reshape(-1)[0] for row in results for i in range(pack)]
        made.append(tensor_of(np.array(column, dtype=results[0][j].handle.data.dtype).reshape(arrays[0].shape), dtype))
    return made[0] if len(made) == 1 else tuple(made)

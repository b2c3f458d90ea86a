"""Descriptors of a tensor that is many slices of different lengths, one after the other.

A kernel reads and writes a slice without touching its neighbours: two extra dimensions in front move the end of the slice to
the end of the described tensor, where the bounds check of descriptors stands. `load_ragged` and its kin are compiled; the
library has their text.
"""
from ..language._builtin import LibraryFunction, define_functions
from .tensor_descriptor import TensorDescriptor, _strides

_LIMIT = 0x7fff0000  # of an extent of a descriptor
_ROWS = 1 << 30  # the described length of the ragged dimension


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """A descriptor of `T`, whose dimension `ragged_dim` is a row of slices, for `load_ragged` and its kin."""
    shape, strides, rank = list(T.shape), list(_strides(T)), len(T.shape)
    ragged_dim += rank if ragged_dim < 0 else 0
    assert 0 <= ragged_dim < rank - 1, "last dimension cannot be ragged"
    assert rank <= 3, f"read-write ragged descriptors must have at most 3 dimensions, got {rank}"
    assert len(block_shape) == rank, "block shape must have same length as tensor shape"
    assert shape[ragged_dim] <= _ROWS, "number of rows may not exceed 2**30"
    shape[ragged_dim] = _ROWS
    step = strides[ragged_dim]
    # A coordinate of 2**30 along the first dimension adds 2**64 elements, which is none, less 2**30 rows.
    return TensorDescriptor(T, [_LIMIT, _LIMIT] + shape, [2**34 - step, step] + strides, [1, 1] + list(block_shape))


_TABLE = """
to_ragged_indices(slice_off, slice_size, row) | The coordinates that stand for a row of a slice.
load_ragged(TMA, slice_off, slice_size, coords, ragged_dim=0) | Read a block of a slice; zeros beyond its end.
store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim=0) | Write a block of a slice; nothing beyond its end.
atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim=0) | Add a block to a slice; nothing beyond its end.
"""
define_functions(globals(), _TABLE, LibraryFunction)

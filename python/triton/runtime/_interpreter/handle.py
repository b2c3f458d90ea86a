"""What the values of a kernel hold while it runs as Python."""
import numpy as np

from ...language import core as tl

# How the elements of a type lie in numpy arrays: types that numpy does not have as their bits.
_NUMPY_NAMES = {
    "int1": "bool", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint8": "uint8",
    "uint16": "uint16", "uint32": "uint32", "uint64": "uint64", "fp16": "float16", "bf16": "uint16", "fp32": "float32",
    "fp64": "float64", "fp8e5": "uint8", "fp8e5b16": "uint8", "fp8e4nv": "uint8", "fp8e4b8": "uint8", "fp8e4b15": "uint8",
}  # yapf: disable
_NUMPY_TYPES = {name: np.dtype(numpy_name) for name, numpy_name in _NUMPY_NAMES.items()}
_ADDRESS = np.dtype("uint64")
# Types of numpy that have the values of a type of the language.
LANGUAGE_NAMES = {numpy_name: name for name, numpy_name in _NUMPY_NAMES.items() if name != "bf16" and not name.startswith("fp8")}


def _get_np_dtype(dtype):
    """The numpy type that elements of a type lie in."""
    scalar = dtype.scalar
    return _ADDRESS if scalar.is_ptr() else _NUMPY_TYPES[scalar.name]


def _get_signed_np_dtype(dtype):
    dtype = np.dtype(dtype)
    return np.dtype(f"int{dtype.itemsize * 8}") if dtype.kind == "u" else dtype


def _validate_np_data_size(array, dtype):
    return dtype.is_ptr() or array.itemsize * 8 <= max(dtype.primitive_bitwidth, 8)


class TensorHandle:
    """A numpy array (of one element for a scalar) and the type of its elements; `attr` are hints of the kernel."""

    def __init__(self, data, dtype, attr=None):
        if not _validate_np_data_size(data, dtype):
            raise ValueError(f"elements of {data.itemsize * 8} bits do not fit {dtype}")
        self.data = data
        self.dtype = dtype
        self.attr = {} if attr is None else attr

    def __bool__(self):
        return bool(self.data.all())

    def __repr__(self):
        return f"TensorHandle(data={self.data!r}, dtype={self.dtype}, attr={self.attr})"

    def get_element_ty(self):
        """What a pointer leads to, through all pointers."""
        dtype = self.dtype
        while hasattr(dtype, "element_ty"):
            dtype = dtype.element_ty
        return dtype

    def clone(self):
        return TensorHandle(self.data.copy(), self.dtype)

    def set_attr(self, name, value):
        self.attr[name] = value


def _block_pointers(base, block_shape, offsets, strides, extents, checked):
    """Addresses of a block's elements, and which of them lie inside of the `checked` dimensions."""
    item_bytes = base.get_element_ty().primitive_bitwidth // 8
    addresses = np.broadcast_to(base.data, block_shape)
    inside = np.ones(block_shape, dtype=bool)
    for axis, extent in enumerate(block_shape):
        along = [1] * len(block_shape)
        along[axis] = extent
        index = (offsets[axis].data.astype(np.int64) + np.arange(extent)).reshape(along)
        addresses = addresses + (item_bytes * index * strides[axis].data.astype(np.int64)).astype(np.uint64)
        if axis in checked:
            inside = inside & (index >= 0) & (index < extents[axis].data)
    return TensorHandle(addresses, base.dtype.scalar), inside


class BlockPointerHandle:
    """What `tl.make_block_ptr` gives: scalars as handles, the shape and the order as numbers."""

    def __init__(self, base, shape, strides, offsets, block_shape, order):
        self.base, self.shape, self.strides, self.offsets = base, shape, strides, offsets
        self.block_shape, self.order = block_shape, order

    def parts(self):
        return [self.base, *self.shape, *self.strides, *self.offsets]

    def materialize_pointers(self, boundary_check):
        return _block_pointers(self.base, self.block_shape, self.offsets, self.strides, self.shape, boundary_check)


class TensorDescHandle:
    """What `tl.make_tensor_descriptor` gives; `data` are its bytes as the library has them."""

    def __init__(self, base, shape, strides, block_shape, padding, data=None):
        self.base, self.shape, self.strides = base, shape, strides
        self.block_shape, self.padding, self.data = block_shape, padding, data

    @property
    def ndim(self):
        return len(self.shape)

    def materialize_pointers(self, offsets):
        return _block_pointers(self.base, self.block_shape, offsets, self.strides, self.shape, range(self.ndim))


def as_floats(handle):
    """The data in a type that numpy computes with: bf16 and fp8 become float32."""
    dtype = handle.dtype
    if not isinstance(dtype, tl.dtype) or dtype.is_ptr() or not dtype.is_floating():
        return handle.data
    if dtype.is_bf16():
        return (handle.data.astype(np.uint32) << 16).view(np.float32)
    if dtype.is_fp8():
        from .values import tensor_of
        return tensor_of(handle.data, dtype).to(tl.float32).handle.data
    return handle.data

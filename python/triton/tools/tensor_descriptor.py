"""`TensorDescriptor`: a tensor of the host, passed to a kernel that reads and writes it in blocks."""
from .._utils import validate_block_shape


def _address(tensor):
    if hasattr(tensor, "data_ptr"):
        return tensor.data_ptr()
    return tensor.__array_interface__["data"][0]  # numpy


def _is_floating(dtype):
    return dtype.is_floating_point if hasattr(dtype, "is_floating_point") else getattr(dtype, "kind", "") == "f"


def _strides(tensor):
    if hasattr(tensor, "stride"):
        return tensor.stride()
    return [stride // tensor.itemsize for stride in tensor.strides]  # numpy counts in bytes


def check_geometry(descriptor):
    """What the hardware asks of every descriptor: ranks that agree, 16-byte alignment, a contiguous last dimension."""
    rank = len(descriptor.shape)
    for name in ("strides", "block_shape"):
        count = len(getattr(descriptor, name))
        assert count == rank, f"rank mismatch: `{name}` has {count} entries, `shape` has {rank}: {descriptor}"
    assert rank > 0, "rank must not be zero"
    assert rank <= 5, f"rank cannot be more than 5, got {rank}"
    if type(descriptor.base).__name__ not in ("FakeTensor", "FunctionalTensor"):  # those have no memory
        assert _address(descriptor.base) % 16 == 0, "base must be 16-byte aligned"
    validate_block_shape(descriptor.block_shape)
    for stride in descriptor.strides[:-1]:
        assert (stride * descriptor.base.dtype.itemsize) % 16 == 0, f"strides must be 16-byte aligned, got {stride}"
    assert all(extent > 0 for extent in descriptor.shape), f"shape must be positive, got {descriptor.shape}"
    assert descriptor.strides[-1] == 1, "Last dimension must be contiguous"
    assert descriptor.padding in ("zero", "nan"), f"Illegal value for padding: {descriptor.padding!r}"
    assert descriptor.padding == "zero" or _is_floating(descriptor.base.dtype), (
        "Padding option `nan` is only supported for floating point tensors")


class TensorDescriptor:
    """`base` seen as a tensor of `shape` and `strides` (in elements), of which a kernel handles `block_shape` at a time.

    Reads beyond the shape give zero, or NaN where `padding` is "nan".
    """

    def __init__(self, base, shape, strides, block_shape, padding="zero", round_f32_to_tf32=False):
        if round_f32_to_tf32:
            raise NotImplementedError("`round_f32_to_tf32`: nereid's products round their operands themselves; leave it out")
        self.base = base
        self.shape, self.strides, self.block_shape = shape, strides, block_shape
        self.padding = padding
        check_geometry(self)

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(tensor, tensor.shape, _strides(tensor), block_shape, padding, round_f32_to_tf32)

    def _fields(self):
        return self.base, self.shape, self.strides, self.block_shape, self.padding

    def __eq__(self, other):
        return isinstance(other, TensorDescriptor) and self.base is other.base and self._fields()[1:] == other._fields()[1:]

    __hash__ = None

    def __repr__(self):
        return (f"TensorDescriptor(base={type(self.base).__name__}, shape={list(self.shape)}, "
                f"strides={list(self.strides)}, block_shape={list(self.block_shape)}, padding={self.padding!r})")

"""`TensorDescriptor` with the layout that its blocks have in shared memory."""
from ....tools.tensor_descriptor import _strides, check_geometry
from ..language._layouts import NVMMASharedLayout

__all__ = ["TensorDescriptor"]


class TensorDescriptor:
    """A tensor that a kernel in Gluon reads and writes in blocks, with their layout; no `TensorDescriptor` of Triton's language."""

    def __init__(self, base, shape, strides, block_shape, layout, padding="zero"):
        assert isinstance(layout, NVMMASharedLayout), "Layout must be NVMMASharedLayout"
        self.base, self.shape, self.strides, self.block_shape = base, shape, strides, block_shape
        self.layout, self.padding = layout, padding
        check_geometry(self)

    @staticmethod
    def from_tensor(tensor, block_shape, layout, padding="zero"):
        return TensorDescriptor(tensor, tensor.shape, _strides(tensor), block_shape, layout, padding)

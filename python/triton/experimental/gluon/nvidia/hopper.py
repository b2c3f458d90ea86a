"""`TensorDescriptor` with the layout that its blocks have in shared memory."""
from ....tools.tensor_descriptor import TensorDescriptor as _TensorDescriptor
from ....tools.tensor_descriptor import _strides
from ..language._layouts import NVMMASharedLayout

__all__ = ["TensorDescriptor"]


class TensorDescriptor(_TensorDescriptor):
    """A tensor that a kernel reads and writes in blocks, with their layout."""

    def __init__(self, base, shape, strides, block_shape, layout, padding="zero"):
        assert isinstance(layout, NVMMASharedLayout), "Layout must be NVMMASharedLayout"
        self.layout = layout
        super().__init__(base, shape, strides, block_shape, padding)

    @staticmethod
    def from_tensor(tensor, block_shape, layout, padding="zero"):
        return TensorDescriptor(tensor, tensor.shape, _strides(tensor), block_shape, layout, padding)

"""What stands for a tensor among the arguments of a kernel: one of which only the type counts, one seen as another dtype."""
import sys


class MockTensor:
    """Stands for a tensor of a dtype where only its type counts."""

    @staticmethod
    def wrap_dtype(arg):
        is_torch_dtype = arg.__class__.__name__ == "dtype" and arg.__class__.__module__ == "torch"
        return MockTensor(arg) if is_torch_dtype else arg

    @staticmethod
    def wrap_dtypes(args):
        torch = sys.modules.get("torch")
        return tuple(map(MockTensor.wrap_dtype, args)) if torch and torch.dtype in map(type, args) else args

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    def stride(self):
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.append(strides[-1] * extent)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr():
        return 0  # divisible by 16, as the memory of real tensors is

    @staticmethod
    def ptr_range():
        return 0


class TensorWrapper:
    """A tensor whose elements are seen as another dtype."""

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.data = base.data
        self.device = base.device
        self.shape = base.shape

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """The same memory with another dtype: how types that torch does not have are passed to kernels."""
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"Cannot reinterpret a {type(tensor)}.")

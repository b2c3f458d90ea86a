"""The same descriptors as on Hopper."""
from .hopper import TensorDescriptor

__all__ = ["TensorDescriptor"]

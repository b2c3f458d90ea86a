"""Gluon on NVIDIA GPUs: host side."""
from . import blackwell, hopper

__all__ = ["hopper", "blackwell"]

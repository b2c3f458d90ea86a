"""Instructions of NVIDIA GPUs in Gluon: only names."""
from . import ampere, blackwell, hopper

__all__ = ["ampere", "blackwell", "hopper"]

"""The compiler for NVIDIA GPUs, as host code sees it."""
from ..compiler import BaseBackend


class CUDABackend(BaseBackend):
    name = "cuda"
    binary_ext = "cubin"


def get_ptx_version_from_options(options, arch):
    """The version of PTX that code for an architecture is written in."""
    return getattr(options, "ptx_version", None) or (80 if arch <= 90 else 87)


BACKEND = CUDABackend

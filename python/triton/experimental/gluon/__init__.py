"""Gluon, Triton's language of explicit layouts. Its kernels are not compiled; host code that mentions it imports and runs."""
from . import amd, nvidia
from ._runtime import constexpr_function, jit
from ...language._builtin import must_use_result

__all__ = ["constexpr_function", "jit", "must_use_result", "nvidia", "amd"]


def __getattr__(name):
    if name == "language":
        from importlib import import_module
        return import_module(".language", __name__)
    raise AttributeError(f"module 'triton.experimental.gluon' has no attribute '{name}'")

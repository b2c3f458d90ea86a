"""Kernels at run time: launching, tuning, devices, errors."""
from importlib import import_module

from .driver import driver  # eager: the object takes the place of the module of the same name
from .errors import InterpreterError, OutOfResources
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

# What is imported when it is first used, and from where.
_LAZY = {
    **dict.fromkeys(("autotune", "Autotuner", "Config", "Heuristics", "heuristics"), "autotuner"),
    **dict.fromkeys(("RedisRemoteCacheBackend", "RemoteCacheBackend"), "cache"),
}  # yapf: disable

__all__ = [
    "autotune", "Autotuner", "Config", "driver", "Heuristics", "heuristics", "InterpreterError", "JITFunction",
    "KernelInterface", "MockTensor", "OutOfResources", "RedisRemoteCacheBackend", "reinterpret", "RemoteCacheBackend",
    "TensorWrapper"
]  # yapf: disable


def __getattr__(name):
    if name in _LAZY:
        value = getattr(import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in ("cache", "autotuner", "build", "interpreter"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'triton.runtime' has no attribute '{name}'")

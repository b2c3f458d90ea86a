"""Triton's Python interface over nereid: kernels are compiled by its library from their source text.

`triton.__nereid__` tells it from Triton itself.
"""
from importlib import import_module

__version__ = "3.6.0"
__nereid__ = True

from .errors import TritonError  # noqa: E402
from .runtime.errors import InterpreterError, OutOfResources  # noqa: E402
from .runtime.jit import (JITFunction, KernelInterface, MockTensor, TensorWrapper, connect, constexpr_function,  # noqa: E402
                          jit, reinterpret)
from . import language  # noqa: E402
from .language._builtin import must_use_result  # noqa: E402
from ._visualizer import answer_visualizer  # noqa: E402
from ._distribution import answer_for_triton  # noqa: E402
from ._children import bring_along  # noqa: E402

# What is imported when it is first used, and from where.
_LAZY = {
    "autotune": "runtime.autotuner", "heuristics": "runtime.autotuner", "Config": "runtime.config",
    "AsyncCompileMode": "runtime._async_compile", "FutureKernel": "runtime._async_compile",
    "compile": "compiler.compiler", "CompilationError": "compiler.errors", "set_allocator": "runtime._allocation",
}  # yapf: disable
_MODULES = ("_C", "_utils", "backends", "compiler", "experimental", "knobs", "profiler", "runtime", "testing", "tools")

__all__ = [
    "AsyncCompileMode", "autotune", "cdiv", "CompilationError", "compile", "Config", "constexpr_function",
    "FutureKernel", "heuristics", "InterpreterError", "jit", "JITFunction", "KernelInterface", "language", "MockTensor",
    "must_use_result", "next_power_of_2", "OutOfResources", "reinterpret", "runtime", "set_allocator", "TensorWrapper",
    "TritonError", "testing", "tools"
]  # yapf: disable


@constexpr_function
def cdiv(x, y):
    """The quotient of two integers, rounded up."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n):
    """The smallest power of 2 that is not below `n`."""
    if not hasattr(n, "bit_length"):  # of numpy
        n = n.__index__()
    return 1 << (n - 1).bit_length() if n > 0 else 0


aggregate = language.core.aggregate
# Under whatever name a program has them: classes are made from their text.
for _name in ("aggregate", "cdiv", "constexpr_function", "jit", "must_use_result", "next_power_of_2"):
    globals()[_name].__nereid_path__ = f"triton.{_name}"
del _name
connect()
del connect
answer_visualizer()
answer_for_triton()
bring_along()
del answer_visualizer, answer_for_triton, bring_along


def __getattr__(name):
    if name in _LAZY:
        value = getattr(import_module(f".{_LAZY[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'triton' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__, *_MODULES})

"""Nereid in Python: Triton kernels compiled by a native library, for processors and NVIDIA GPUs.

    import nereid, numpy as np
    add = nereid.load("add.py:add_kernel")
    nereid.launch(add, (4,), x, y, out, 4096, BLOCK=1024)

`python -m nereid SCRIPT …` runs a script whose `import triton` means nereid's; `python -m nereid --which` says what it means now.
"""
from __future__ import annotations

from ._places import dropin_folder as _dropin_folder
from ._places import use_build_folder as _use_build_folder

_use_build_folder(__path__)

from ._profile import profile  # noqa: E402
from ._support import InternalError  # noqa: E402
from .kernels import bench, check, compile, count, launch, load, tune, view  # noqa: E402

__all__ = ["InternalError", "bench", "check", "compile", "count", "dropin_path", "interrupt", "launch", "load", "profile", "tune", "version", "view"]


def dropin_path() -> str:
    """The folder that holds the `triton` package: first on `sys.path` it makes `import triton` mean nereid's."""
    return _dropin_folder()


def interrupt() -> None:
    """Ends all launches that run on the processor now, from another thread: they raise a RuntimeError."""
    from . import _native
    _native.interrupt()


def version() -> str:
    """The version of the native library, as `nereid version` says it."""
    from . import _native
    return _native.version


def __getattr__(name: str) -> str:
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'nereid' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__file__", "__name__", "__path__", "__version__"])

"""Nereid in Python: Triton kernels compiled by a native library, for processors and NVIDIA GPUs.

    import nereid, numpy as np
    add = nereid.load("add.py:add_kernel")
    nereid.launch(add, (4,), x, y, out, 4096, BLOCK=1024)

`python -m nereid SCRIPT …` runs a script whose `import triton` means nereid's.
"""

from ._places import use_build_folder as _use_build_folder

_use_build_folder(__path__)

__all__ = ["bench", "check", "compile", "dropin_path", "launch", "load", "tune", "version"]


def dropin_path():
    """The folder that holds the `triton` package: first on `sys.path` it makes `import triton` mean nereid's."""
    from ._places import dropin_folder
    return dropin_folder()


def version():
    from . import _native
    return _native.version


def __getattr__(name):
    if name in __all__:
        from importlib import import_module
        return getattr(import_module(".kernels", __name__), name)
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'nereid' has no attribute '{name}'")



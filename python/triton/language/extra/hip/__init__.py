"""Functions of the language for AMD GPUs, which nereid does not compile for: code that chooses by device imports them."""
from ..._builtin import define_functions
from . import libdevice  # noqa: F401

define_functions(globals(), "memrealtime() | The clock of an AMD GPU, in units of 10 ns.")

__all__ = ["libdevice", "memrealtime"]

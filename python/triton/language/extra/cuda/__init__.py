"""Functions of the language for NVIDIA GPUs."""
import sys

from ..._builtin import BuiltinFunction, define_functions
from . import libdevice  # noqa: F401

_TABLE = """
globaltimer() | The GPU's clock in nanoseconds.
smid() | The multiprocessor that runs this program.
num_threads() | Threads of this program.
num_warps() | Warps of this program.
gdc_wait() | Wait for the kernels that this one depends on.
gdc_launch_dependents() | Let the kernels start that depend on this one.
convert_custom_float8_sm80(arg, dst_ty, fp_downcast_rounding=None) | fp8e4b15 to and from wider floats.
convert_custom_float8_sm70(arg, dst_ty, fp_downcast_rounding=None) | fp8e4b15 to and from wider floats.
"""
define_functions(globals(), _TABLE, BuiltinFunction)

__all__ = [line.partition("(")[0] for line in _TABLE.strip().splitlines()] + ["libdevice"]

# Triton has these functions in two modules, and in the package.
sys.modules[f"{__name__}.utils"] = sys.modules[f"{__name__}.gdc"] = utils = gdc = sys.modules[__name__]

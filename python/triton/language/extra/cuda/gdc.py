"""Kernels that start before the one they depend on has ended; the same functions as in `extra.cuda`."""
from . import gdc_launch_dependents, gdc_wait  # noqa: F401

"""The same functions as `tl.extra.libdevice`, under the name that code for NVIDIA GPUs uses."""
from ..libdevice import *  # noqa: F401,F403

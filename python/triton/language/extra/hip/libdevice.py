"""The device library; one for all devices."""
from ..libdevice import *  # noqa: F401,F403

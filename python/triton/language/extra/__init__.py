"""Parts of the language beyond its core: the device library, what only one kind of device has."""
from . import cuda, hip, libdevice  # noqa: F401

__all__ = ["cuda", "hip", "libdevice"]

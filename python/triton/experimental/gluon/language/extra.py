"""The device library, in Gluon."""
from ....language.extra import libdevice  # noqa: F401

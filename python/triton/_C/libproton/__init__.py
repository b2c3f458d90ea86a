"""Proton's compiled library; nereid's is Python over the recorder of `nereid._native`."""
from . import proton  # noqa: F401

"""Scopes inside of kernels, which are recorded while a session of the backend `instrumentation` is on."""
from ..flags import flags
from .hook import Hook


class InstrumentationHook(Hook):
    """Switches them on and off."""

    def __init__(self, mode=None):
        self.mode = mode

    def activate(self):
        flags.instrumentation_on = True

    def deactivate(self):
        flags.instrumentation_on = False

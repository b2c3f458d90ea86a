"""The device that host code asks about when it names none.

A launch goes to where its tensors are; this one answers questions (`driver.active.get_current_target()`). It is the GPU that
torch drives where there is one, else the processor; NEREID_DEVICE=cpu or cuda decides otherwise.
"""
import os
import sys

from ..backends import backends


def _create_driver():
    return next(backend.driver for backend in backends.values() if backend.driver.is_active())()


def _what_decides():
    return os.environ.get("NEREID_DEVICE"), hasattr(sys.modules.get("torch"), "cuda")


class DriverConfig:
    """`active` is the driver in use, `default` the one that was found; both are made when they are first read."""

    def __init__(self):
        self._default = None
        self._decided = None  # by what, when the default was found
        self._active = None

    @property
    def default(self):
        # The processor is only a first guess: torch may be imported, and with it a GPU, after the question.
        if self._default is None or self._default.name == "cpu" and self._decided != _what_decides():
            found, self._decided = _create_driver(), _what_decides()
            if self._default is None or found.name != "cpu":
                self._default = found
        return self._default

    @property
    def active(self):
        return self.default if self._active is None else self._active

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = None


driver = DriverConfig()

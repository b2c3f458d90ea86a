"""Modules of Triton that cannot be here: they import, and say at the first use of a member what to do instead.

The error is an AttributeError, so that `hasattr`, `getattr` with a default and `from … import …` in a `try` take the way that
programs have for a Triton without the name.
"""
import sys
from types import ModuleType


class AbsentModule(ModuleType):
    """A module without members."""

    def __init__(self, name, advice):
        super().__init__(name, f"Not here: {advice}.")
        self.__dict__["_advice"] = advice
        self.__path__ = []  # `import NAME.member` fails as for any package

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        raise AttributeError(f"`{self.__name__}.{name}` does not exist in nereid: {self._advice}")


def absent_module(name, advice):
    """The module of that name, which `import` finds from now on."""
    return sys.modules.setdefault(name, AbsentModule(name, advice))

"""A state stands at the end of every path of the call tree while it lasts: what the program is about, wherever it is."""
from functools import wraps

from . import _core
from .flags import flags


class state:
    """For `with` and as a decorator."""

    def __init__(self, name):
        self.name, self._entered = name, []

    def __enter__(self):
        self._entered.append(flags.profiling_on)
        if flags.profiling_on:
            _core.enter_state(self.name)
        return self

    def __exit__(self, *problem):
        if self._entered.pop():
            _core.exit_state()

    def __call__(self, func):

        @wraps(func)
        def wrapper(*args, **kwargs):
            with state(self.name):
                return func(*args, **kwargs)

        return wrapper


def enter_state(name):
    _core.enter_state(name)


def exit_state():
    _core.exit_state()

"""Named parts of a program."""
import threading
import time
from functools import wraps

from . import _core
from .flags import flags

thread_local_scopes = threading.local()


class scope:
    """For `with` and as a decorator; `metrics` are numbers by name. A name that ends in ` (exc)` is not summed over children, one in
    ` (pty)` is a property: not summed at all, and may be text."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics, self.id = name, metrics, None

    def _enter_scope(self):
        if not flags.profiling_on:
            return
        self.id = _core.record_scope()
        _core.enter_scope(self.id, self.name)
        if self.metrics:
            _core.add_metrics(self.id, self.metrics)

    def _exit_scope(self):
        if flags.profiling_on and self.id is not None:
            _core.exit_scope(self.id, self.name)

    def __enter__(self):
        self._enter_scope()
        return self

    def __exit__(self, *problem):
        self._exit_scope()

    def _copy(self):
        return type(self)(self.name, self.metrics)

    def __call__(self, func):

        @wraps(func)
        def wrapper(*args, **kwargs):
            with self._copy():  # calls may lie in each other
                return func(*args, **kwargs)

        return wrapper


class cpu_timed_scope(scope):
    """A scope with the time of the host, as the metric `cpu_time`."""

    def __init__(self, name, metrics=None):
        if metrics and "cpu_time" in metrics:
            raise ValueError("The metric name 'cpu_time' is reserved.")
        super().__init__(name, metrics)
        self.start_time = None

    def _enter_scope(self):
        self.start_time = time.perf_counter_ns()
        super()._enter_scope()

    def _exit_scope(self):
        took = time.perf_counter_ns() - self.start_time
        super()._exit_scope()
        if flags.profiling_on and self.id is not None:
            _core.add_metrics(self.id, {"cpu_time (ns)(exc)": took})


def _open_scopes():
    if not hasattr(thread_local_scopes, "scopes"):
        thread_local_scopes.scopes = []
    return thread_local_scopes.scopes


def enter_scope(name, *, metrics=None):
    """A scope begins; its number, or None where nobody profiles."""
    if not flags.profiling_on:
        return None
    number = _core.record_scope()
    _open_scopes().append((number, name))
    _core.enter_scope(number, name)
    if metrics:
        _core.add_metrics(number, metrics)
    return number


def exit_scope(name=None, *, metrics=None):
    """The innermost scope of `enter_scope` ends; a name must be its name."""
    if not flags.profiling_on:
        return None
    if not _open_scopes():
        raise ValueError("there is no scope to exit: `enter_scope` begins one")
    number, known = _open_scopes().pop()
    if name and name != known:
        raise ValueError(f"Scope name mismatch: {name} != {known}")
    _core.exit_scope(number, known)
    if metrics:
        _core.add_metrics(number, metrics)
    return number

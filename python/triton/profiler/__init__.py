"""Triton's profiler, Proton, as far as scripts use it to time what they run: scopes and launches by name, how often, how long and
with which metrics. With torch on a GPU the times are the device's (events), else the host's; `viewer` shows what was written."""
import json
import sys
import time
from contextlib import contextmanager

from .. import knobs
from . import context, hooks, mode, specs  # noqa: F401
from .flags import flags as _flags

DEFAULT_PROFILE_NAME = "proton"
_sessions = []


class _Session:
    """The times of one `start`; written to NAME.hatchet when it ends."""

    def __init__(self, name, follows_launches):
        self.name, self.follows_launches = name, follows_launches
        self.rows = {}  # name: [count, seconds, metrics, pairs of events that are not read yet]
        self.launch = None

    def row(self, name, metrics):
        row = self.rows.setdefault(name, [0, 0.0, {}, []])
        for metric, value in (metrics or {}).items():
            row[2][metric] = row[2].get(metric, 0) + value
        return row

    def begin_launch(self, metadata):
        about = dict(metadata.get())
        name = about.pop("name", "kernel")
        self.launch = name, {key: value for key, value in about.items() if isinstance(value, (int, float))}, _now()

    def end_launch(self, metadata):
        name, metrics, begun = self.launch
        self.add(name, metrics, begun)

    def add(self, name, metrics, begun):
        row = self.row(name, metrics)
        row[0] += 1
        row[3].append((begun, _now()))

    def activate(self):
        if self.follows_launches:
            knobs.runtime.launch_enter_hook.add(self.begin_launch)
            knobs.runtime.launch_exit_hook.add(self.end_launch)

    def deactivate(self):
        knobs.runtime.launch_enter_hook.remove(self.begin_launch)
        knobs.runtime.launch_exit_hook.remove(self.end_launch)

    def write(self):
        if any(not isinstance(begun, float) for row in self.rows.values() for begun, _ in row[3][:1]):
            sys.modules["torch"].cuda.synchronize()  # events are read when the device has passed them
        for row in self.rows.values():
            row[1] += sum(_between(*pair) for pair in row[3])
            row[3] = []
        with open(self.name + ".hatchet", "w") as file:
            json.dump([{"name": name, "count": row[0], "seconds": row[1], "metrics": row[2]} for name, row in self.rows.items()], file)


def _now():
    """An event of torch's current stream, or the time of the host."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def _between(begun, ended):
    return ended - begun if isinstance(begun, float) else begun.elapsed_time(ended) * 1e-3


_active = []


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session, which is active; its number. Times are those of scopes and launches, whatever `context` and `data` ask for."""
    if backend == "instrumentation" or mode is not None:
        raise NotImplementedError("nereid's profiler times scopes and launches: it has neither modes nor a backend that looks into kernels; "
                                  "leave `backend` and `mode` out")
    if knobs.proton.disable:
        return None
    _flags.profiling_on = True
    session = _Session(name or DEFAULT_PROFILE_NAME, hook == "triton")
    _sessions.append(session)
    activate(len(_sessions) - 1)
    return len(_sessions) - 1


def activate(session=None):
    for each in _sessions if session is None else _sessions[session:session + 1]:
        if each not in _active:
            _active.append(each)
            each.activate()


def deactivate(session=None, **options):
    for each in list(_active) if session is None else _sessions[session:session + 1]:
        if each in _active:
            _active.remove(each)
            each.deactivate()


def finalize(session=None, **options):
    """Ends a session, or all, and writes what was recorded."""
    deactivate(session)
    for each in _sessions if session is None else _sessions[session:session + 1]:
        each.write()
    if session is None:
        _sessions.clear()
        _flags.profiling_on = False


@contextmanager
def scope(name, metrics=None):
    begun = _now() if _active else None
    try:
        yield
    finally:
        if begun is not None:
            for session in _active:
                session.add(name, metrics, begun)


cpu_timed_scope = scope
_entered = []


def enter_scope(name, *, metrics=None, **options):
    manager = scope(name, metrics)
    manager.__enter__()
    _entered.append(manager)


def exit_scope(name=None, **options):
    if _entered:
        _entered.pop().__exit__(None, None, None)


# A state is a scope that Proton keeps apart from the call tree; there is no tree here.
state, enter_state, exit_state = scope, enter_scope, exit_scope


def profile(func=None, *, name=None, **options):
    """Decorator: each call of the function is a session of its own."""
    from functools import wraps

    def decorate(function):

        @wraps(function)
        def wrapper(*args, **kwargs):
            session = start(name, **options)
            result = function(*args, **kwargs)
            deactivate(session)
            return result

        return wrapper

    return decorate if func is None else decorate(func)

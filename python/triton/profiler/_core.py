"""Sessions, scopes and metrics: what Proton's compiled library does, over the recorder of nereid's."""
import itertools
import json
import os
import sys
import threading
from collections import OrderedDict

import nereid
from nereid import _native

from . import _tree

# Scopes of the recorder that stand for something else; the mark is a metric.
_STATE, _FRAMES = "proton: state", "proton: frames"
_CONTEXTS, _FORMATS = ("shadow", "python"), {"tree": "hatchet", "trace": "chrome_trace"}

# Triton's own code, nereid's, and what runs a script.
_TRITON = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NOT_THE_PROGRAM = (_TRITON + os.sep, os.path.dirname(os.path.abspath(nereid.__file__)) + os.sep, "<frozen ")

_sessions = {}
_session_numbers, _scope_numbers = itertools.count(), itertools.count()
_lock = threading.RLock()
_value_types = {}  # metric: (its number, the type of its values)


class _Thread(threading.local):
    """What a thread has open: (scope, name, the sessions that were on, whether the recorder has it)."""

    def __init__(self):
        self.scopes, self.states = [], []
        self.marks = []  # whether the recorder has a state, or the frames of a launch, that is open
        self.left = OrderedDict()  # scopes that were closed lately, whose metrics may come behind them


_thread = _Thread()


class _Session:

    def __init__(self, path, context, data):
        self.path, self.context, self.data = path, context, data
        self.root, self.summed = _tree.Node("ROOT"), {}
        self.devices, self.kernels = {}, []
        self.position = None  # of the recorder; None: it is off

    def activate(self):
        if self.position is None:
            self.position = _native.profile_begin()

    def deactivate(self):
        if self.position is not None:
            records = _native.profile_end(self.position)
            self.position = None
            self.take(json.loads(_native.profile_text(records, "records")))

    def take(self, records):
        """Adds the launches among the records."""
        scopes = {record["id"]: record for record in records if record["kind"] == "scope_begin"}
        launches = {record["id"]: record for record in records if record["kind"] == "launch"}
        for record in records:
            if record["kind"] == "device":
                launch = launches.get(record["id"]) or record
                path = (*self.path_of(launch.get("scope", 0), scopes), launch.get("name", "kernel"))
                self.add_kernel(path, launch, record)
            elif record["kind"] == "inner" and self.data == "trace" and record["id"] in launches:
                launch = launches[record["id"]]
                path = (*self.path_of(launch["scope"], scopes), launch["name"], record["name"])
                about = {**record, "category": "scope", "line": record.get("detail", record["thread"])}
                self.kernels.append((path, about, record["begin"], record["end"]))

    def path_of(self, scope, scopes):
        names, states = [], []
        while scope in scopes:
            record = scopes[scope]
            marks = record.get("metrics", {})
            if _FRAMES in marks:
                if self.context == "python":
                    return (*record["name"].split("\n"), *reversed(states))
            elif _STATE in marks:
                states.append(record["name"])
            elif self.context == "shadow":
                names.append(record["name"])
            scope = record["scope"]
        return (*reversed(names), *reversed(states))

    def add_kernel(self, path, launch, record):
        kind, _, number = record["device"].partition(":")
        kind, number = kind.upper(), number or "0"
        self.devices.setdefault(kind, {}).setdefault(number, None)
        if self.data == "trace":
            self.kernels.append((path, launch, record["begin"], record["end"]))
            return
        self.sums(("time (ns)", "count"))
        self.root.at(path).add({"time (ns)": record["end"] - record["begin"], "count": 1, "device_id (pty)": number,
                                "device_type (pty)": kind})  # yapf: disable

    def sums(self, names):
        self.summed.update(dict.fromkeys(name for name in names if not name.endswith(_tree.SHOWN_LESS)))

    def write(self, output_format):
        wanted = output_format or _FORMATS[self.data]
        if wanted != _FORMATS[self.data]:
            raise ValueError(f"a session of the data `{self.data}` is written as `{_FORMATS[self.data]}`, not as `{output_format}`")
        if self.data == "trace":
            _tree.write_trace(f"{self.path}.{wanted}", self.kernels)
        else:
            devices = {kind: {number: _device_facts(kind, number) for number in numbers} for kind, numbers in self.devices.items()}
            _tree.write_tree(f"{self.path}.{wanted}", self.root, self.summed, devices)


def _device_facts(kind, number):
    """What the viewer compares times with."""
    from triton.runtime.driver import driver
    if kind != "CUDA" or driver.active.get_current_target().backend != "cuda":
        import os
        import platform
        return {"arch": platform.machine(), "num_sms": os.cpu_count(), "clock_rate": 0, "memory_clock_rate": 0, "bus_width": 0}
    about = driver.active.utils.get_device_properties(int(number))
    return {"arch": str(driver.active.get_current_target().arch), "num_sms": about["multiprocessor_count"],
            "clock_rate": about["sm_clock_rate"], "memory_clock_rate": about["mem_clock_rate"],
            "bus_width": about["mem_bus_width"]}  # yapf: disable


def _find(session):
    if session not in _sessions:
        raise RuntimeError(f"Session has not been initialized: {session}")
    return _sessions[session]


def start(path, context, data, backend=None, mode=""):
    """Begins a session, which is on; its number."""
    if context not in _CONTEXTS or data not in _FORMATS:
        what, given, known = ("context", context, _CONTEXTS) if context not in _CONTEXTS else ("data", data, tuple(_FORMATS))
        raise ValueError(f"`{what}` is one of {', '.join(map(repr, known))}, not {given!r}")
    with _lock:
        session = next(_session_numbers)
        _sessions[session] = _Session(path, context, data)
        if len(_sessions) == 1:
            _native.profile_set_metadata(False)  # `launch_metadata` is the business of hook="triton"
        _sessions[session].activate()
    return session


def activate(session):
    with _lock:
        _find(session).activate()


def deactivate(session):
    with _lock:
        _find(session).deactivate()


def activate_all():
    for session in list(_sessions):
        activate(session)


def deactivate_all():
    for session in list(_sessions):
        deactivate(session)


def finalize(session, output_format=""):
    """Ends a session and writes what it has."""
    with _lock:
        found = _find(session)
        found.deactivate()
        try:
            found.write(output_format)
        finally:
            del _sessions[session]
            if not _sessions:
                _value_types.clear()
                _native.profile_set_metadata(True)


def finalize_all(output_format=""):
    for session in list(_sessions):
        finalize(session, output_format)


def has_sessions():
    return bool(_sessions)


def _active():
    return [session for session in list(_sessions.values()) if session.position is not None]


def get_context_depth(session):
    found = _find(session)
    if found.context == "python":
        return len(python_frames())
    return sum(found in sessions for _, _, sessions, _ in _thread.scopes)


def python_frames():
    """`file:line@function` of this thread's calls, the outermost first: those of the program."""
    frames = []
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_NOT_THE_PROGRAM):
            frames.append(f"{code.co_filename}:{frame.f_lineno}@{code.co_name}")
        frame = frame.f_back
    return frames[::-1]


def record_scope():
    return next(_scope_numbers)


def _open(scope, name, sessions, is_recorded):
    _thread.scopes.append((scope, name, sessions, is_recorded))
    for session in sessions:
        session.root.at(_path_in(session))


def _path_in(session, scopes=None):
    base = python_frames() if session.context == "python" else ()
    names = [name for _, name, sessions, _ in (_thread.scopes if scopes is None else scopes) if session in sessions]
    return (*base, *names, *_thread.states)


def enter_scope(scope, name):
    _open(scope, name, _active(), _native.profile_enter(name, None) != 0)


def exit_scope(scope, name):
    _close(scope)


# An op is a launch: the recorder calls it by this name, and has no scope for it.
def enter_op(scope, name):
    _native.profile_announce(name, {})
    _open(scope, name, _active(), False)


def exit_op(scope, name):
    _native.profile_announce("", {})
    _close(scope)


def _close(scope):
    if not any(number == scope for number, _, _, _ in _thread.scopes):
        return
    while _thread.scopes:
        number, name, sessions, is_recorded = _thread.scopes[-1]
        _thread.left[number] = [(session, _path_in(session)) for session in sessions]
        _thread.scopes.pop()
        while len(_thread.left) > 64:
            _thread.left.popitem(last=False)
        if is_recorded:
            _native.profile_exit()
        if number == scope:
            return


def _mark(name, kind):
    _thread.marks.append(_native.profile_enter(name, {kind: 1}) != 0)


def _unmark():
    if _thread.marks.pop():
        _native.profile_exit()


def enter_state(name):
    _mark(name, _STATE)
    _thread.states.append(name)


def exit_state():
    if _thread.states:
        _thread.states.pop()
        _unmark()


def enter_frames():
    """Before a launch, for sessions of the context `python`."""
    _mark("\n".join(python_frames()) or "?", _FRAMES)


def exit_frames():
    _unmark()


def _type_name(value):
    if isinstance(value, str):
        return "string"
    if isinstance(value, float):
        return "double"
    return "uint64_t" if value >= 0 else "int64_t"


def _check_types(metrics):
    for name, value in metrics.items():
        if name.endswith("(pty)"):
            continue
        number, known = _value_types.setdefault(name, (len(_value_types), _type_name(value)))
        if known != _type_name(value) and {known, _type_name(value)} != {"uint64_t", "int64_t"}:
            raise TypeError(f"Metric value type mismatch for valueId {number} ({name}): current={known}, new={_type_name(value)}")


def _plain(value):
    """A number or a text, for JSON: tensors of one element and numbers of numpy are numbers."""
    if isinstance(value, (bool, int, float, str)):
        return int(value) if isinstance(value, bool) else value
    return value.item() if hasattr(value, "item") else float(value)


def add_metrics(scope, metrics):
    metrics = {name: _plain(value) for name, value in metrics.items()}
    if not metrics:
        return
    places = None
    for index, (number, _, sessions, _) in enumerate(_thread.scopes):
        if number == scope:
            places = [(session, _path_in(session, _thread.scopes[:index + 1])) for session in sessions]
    if places is None:
        places = _thread.left.get(scope, ())
    if not places:
        return
    with _lock:
        _check_types(metrics)
        for session, path in places:
            session.sums(metrics)
            session.root.at(path).add(metrics)

"""Sessions."""
import functools

from .. import knobs
from . import _core
from .flags import flags
from .hooks import HookManager, InstrumentationHook, LaunchHook
from .hooks.hook import Hook
from .mode import PCSampling

DEFAULT_PROFILE_NAME = "proton"


def _select_backend():
    from ..runtime.driver import driver
    return {"cuda": "cupti", "hip": "roctracer"}.get(driver.active.get_current_target().backend, "cpu")


class _FramesHook(Hook):
    """Python's calls at each launch, for the context `python`."""

    priority = 50

    def enter(self, metadata):
        _core.enter_frames()

    def exit(self, metadata):
        _core.exit_frames()


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session, which is on; its number. `name` is the path of its file, without the ending.

    context  "shadow": the scopes of the program; "python": its calls, as `file:line@function`
    data     "tree": a call tree (NAME.hatchet); "trace": every kernel with its time (NAME.chrome_trace)
    backend  None; "instrumentation" records scopes inside of kernels, too
    hook     "triton": launches have the names and metrics that the kernels' `launch_metadata` gives
    """
    if flags.command_line or knobs.proton.disable:
        return None
    if isinstance(mode, PCSampling) or str(mode or "").startswith("pcsampling"):
        raise NotImplementedError("nereid's profiler takes no samples of the program counter: leave `mode` out, or use `ncu`")
    if backend == "roctracer":
        raise NotImplementedError("AMD GPUs are not supported: leave `backend` out")
    flags.profiling_on = True
    session = _core.start(DEFAULT_PROFILE_NAME if name is None else str(name), context, data, backend or _select_backend(), str(mode or ""))
    if hook == "triton":
        HookManager.register(LaunchHook(), session)
    if context == "python":
        HookManager.register(_FramesHook(), session)
    if backend == "instrumentation":
        HookManager.register(InstrumentationHook(mode), session)
    return session


def _of_command_line(session, what):
    if flags.command_line and session != 0:
        raise ValueError(f"`proton` has one session, number 0, which alone can be {what}")


def activate(session=None):
    """Records again; without a number, all sessions do."""
    _of_command_line(session, "activated")
    HookManager.activate(session)
    _core.activate_all() if session is None else _core.activate(session)


def deactivate(session=None, **options):
    """Records no more; what there is stays."""
    _of_command_line(session, "deactivated")
    HookManager.deactivate(session)
    _core.deactivate_all() if session is None else _core.deactivate(session)


def finalize(session=None, output_format="", **options):
    """Ends a session, or all, and writes what was recorded."""
    if session is not None:
        _of_command_line(session, "finalized")
    HookManager.unregister(session)
    try:
        _core.finalize_all(output_format) if session is None else _core.finalize(session, output_format)
    finally:
        flags.profiling_on = _core.has_sessions()


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Decorator: each call of the function is a session of its own."""

    def decorate(function):

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            session = start(name, context=context, data=data, backend=backend, mode=mode, hook=hook)
            try:
                return function(*args, **kwargs)
            finally:
                if session is not None:
                    deactivate(session)

        return wrapper

    return decorate if func is None else decorate(func)

"""Triton's profiler, Proton: sessions, scopes, states and metrics, over nereid's recorder of launches. Kernels on the processor are recorded, too; times
are the device's. `triton.profiler.proton` and `triton.profiler.viewer` are its commands."""
from . import context, hooks, mode, specs  # noqa: F401
from .profile import DEFAULT_PROFILE_NAME, activate, deactivate, finalize, profile, start  # noqa: F401
from .scope import cpu_timed_scope, enter_scope, exit_scope, scope  # noqa: F401
from .state import enter_state, exit_state, state  # noqa: F401

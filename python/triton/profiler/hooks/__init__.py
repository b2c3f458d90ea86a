"""What is told of kernels that are loaded and launched."""
from .hook import Hook, HookManager  # noqa: F401
from .instrumentation import InstrumentationHook  # noqa: F401
from .launch import LaunchHook  # noqa: F401

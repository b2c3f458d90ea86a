"""Whether the profiler is at work."""
from types import SimpleNamespace

flags = SimpleNamespace(profiling_on=False, instrumentation_on=False, command_line=False)

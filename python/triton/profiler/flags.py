"""Whether the profiler is at work."""
from dataclasses import dataclass


@dataclass
class ProfilerFlags:
    profiling_on: bool = False
    instrumentation_on: bool = False
    command_line: bool = False  # `proton` runs the script: its own calls of `start` do nothing


flags = ProfilerFlags()

"""The processor as a device: kernels run when they are launched, so there is nothing to wait for."""
import os
import time

from ..compiler import GPUTarget
from ..driver import DriverBase


class Event:
    """A point in time, as torch's events are."""

    def __init__(self, enable_timing=False, **kwargs):
        self._nanoseconds = None

    def record(self, stream=None):
        self._nanoseconds = time.perf_counter_ns()

    def elapsed_time(self, end):
        """Milliseconds from this event to another."""
        return (end._nanoseconds - self._nanoseconds) * 1e-6

    def synchronize(self):
        pass

    wait = synchronize

    def query(self):
        return True


class HostInterface:
    """What `torch.cuda` is for a GPU, as far as benchmarks need it."""

    Event = Event

    @staticmethod
    def synchronize(device=None):
        pass

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def set_device(device):
        pass

    @staticmethod
    def device_count():
        return 1


def _cache_bytes():
    """The size of the last-level cache: what a benchmark must overwrite to measure memory."""
    try:
        folder = "/sys/devices/system/cpu/cpu0/cache/"
        sizes = []
        for index in os.listdir(folder):
            if index.startswith("index"):
                with open(f"{folder}{index}/size") as file:
                    sizes.append(file.read().strip())
        return max(int(size[:-1]) << {"K": 10, "M": 20}[size[-1]] for size in sizes)
    except (OSError, ValueError, KeyError):
        return 32 << 20


class CPUUtils:
    """Properties of the device under the names that host code for GPUs reads."""

    def get_device_properties(self, device=0):
        # A thread plays the part of a multiprocessor; scratch memory is what shared memory is there. Kernels of a
        # processor use no registers of a shared file: the figures let code compute an occupancy.
        return {"multiprocessor_count": len(os.sched_getaffinity(0)), "max_shared_mem": 1 << 20, "max_num_regs": 65536,
                "warpSize": 32, "max_threads_per_sm": 2048, "sm_clock_rate": 0, "mem_clock_rate": 0,
                "mem_bus_width": 0}  # yapf: disable


class CPUDriver(DriverBase):
    name = "cpu"

    def __init__(self):
        self.utils = CPUUtils()

    @classmethod
    def is_active(cls):
        """Whether there is no GPU to ask about: programs count on exactly one kind that is active."""
        from ..nvidia.driver import CudaDriver
        return not CudaDriver.is_active()

    def get_current_target(self):
        # 32 lanes to a warp: host code sizes blocks by it, and ids of tests contain it.
        return GPUTarget("cpu", os.uname().machine, 32)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=0):
        return 0

    def get_device_capability(self, device=0):
        return (0, 0)

    def get_active_torch_device(self):
        """torch's device; code that asks for it goes on with `torch.cpu` as with `torch.cuda`, so what that lacks is added."""
        import torch
        if not hasattr(torch.cpu, "set_stream"):
            torch.cpu.set_stream = lambda stream: None
        return torch.device("cpu")

    def get_device_interface(self):
        return HostInterface

    def get_empty_cache_for_benchmark(self):
        """Memory larger than the caches; overwriting it takes everything else out of them."""
        from ctypes import create_string_buffer
        return create_string_buffer(min(2 * _cache_bytes(), 256 << 20))

    def clear_cache(self, cache):
        from ctypes import memset, sizeof
        memset(cache, 0, sizeof(cache))


DRIVER = CPUDriver

"""NVIDIA GPUs as devices, through torch where the process has it."""
import os
import sys

from ..compiler import GPUTarget
from ..driver import GPUDriver

dirname = os.path.dirname(os.path.realpath(__file__))
include_dirs = [os.path.join(dirname, "include")]


def libcuda_dirs():
    """The folders that may hold the driver's library."""
    from ... import knobs
    if knobs.nvidia.libcuda_path:
        return [knobs.nvidia.libcuda_path]
    places = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/cuda/compat")
    found = [place for place in places if os.path.exists(os.path.join(place, "libcuda.so.1"))]
    assert found, "libcuda.so cannot found!\nset TRITON_LIBCUDA_PATH to the folder that has it"
    return found


def library_dirs():
    return [os.path.join(dirname, "lib"), *libcuda_dirs()]


class CudaUtils:
    """Properties of a GPU."""

    def get_device_properties(self, device=None):
        import torch
        about = torch.cuda.get_device_properties(torch.cuda.current_device() if device is None else device)
        # Attributes that older versions of torch do not tell get the figures of a Hopper.
        return {"multiprocessor_count": about.multi_processor_count,
                "max_shared_mem": getattr(about, "shared_memory_per_block_optin", 232448),
                "max_num_regs": getattr(about, "regs_per_multiprocessor", 65536),
                "warpSize": getattr(about, "warp_size", 32),
                "max_threads_per_sm": getattr(about, "max_threads_per_multi_processor", 2048),
                "sm_clock_rate": getattr(about, "clock_rate", 1980000),
                "mem_clock_rate": getattr(about, "memory_clock_rate", 3201000),
                "mem_bus_width": getattr(about, "memory_bus_width", 6144)}  # yapf: disable


class CudaDriver(GPUDriver):
    name = "cuda"
    pointer_type = "CUdeviceptr"

    def __init__(self):
        super().__init__()
        self.utils = CudaUtils()

    @classmethod
    def is_active(cls):
        """Whether this process has torch with a GPU (torch is never imported for the question), unless NEREID_DEVICE decides."""
        if wanted := os.environ.get("NEREID_DEVICE"):
            return wanted.startswith("cuda")
        torch = sys.modules.get("torch")
        return torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available() and torch.version.hip is None

    def get_current_target(self):
        major, minor = self.get_device_capability(self.get_current_device())
        return GPUTarget("cuda", major * 10 + minor, 32)

    def get_active_torch_device(self):
        import torch
        return torch.device("cuda", self.get_current_device())

    def get_device_interface(self):
        import torch
        return torch.cuda

    def get_empty_cache_for_benchmark(self):
        import torch
        return torch.empty(64 << 20, dtype=torch.int, device="cuda")  # 256 MiB: more than any second-level cache

    def clear_cache(self, cache):
        cache.zero_()


DRIVER = CudaDriver

"""pretended_gpu.py: an H200 that only compiles, on machines without a GPU, for programs that make their tensors on `cuda` and launch kernels there.

`pretend()` before the program runs: its tensors are the processor's, `torch.cuda` answers with an H200's facts, both sides' `triton` see the target
`cuda:90`, and nothing waits for anything. A launch is left to whoever takes the place of `JITFunction.run` (machine_code.py): values are what the memory holds."""
import contextlib
import types

PROPERTIES = types.SimpleNamespace(name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, total_memory=150 << 30, warp_size=32, max_threads_per_multi_processor=2048,
                                   regs_per_multiprocessor=65536, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
                                   L2_cache_size=60 << 20)  # yapf: disable


class Event:
    """One that has always happened."""

    def __init__(self, *_, **__):
        pass

    def record(self, *_):
        pass

    wait = synchronize = record

    def query(self):
        return True

    def elapsed_time(self, _):
        return 1.0


class Stream(contextlib.nullcontext):
    cuda_stream, device = 0, None

    def __init__(self, *_, **__):
        super().__init__()

    def synchronize(self, *_):
        pass

    wait_stream = wait_event = record_event = synchronize


class Utils:

    def get_device_properties(self, _=0):
        return {"max_shared_mem": PROPERTIES.shared_memory_per_block_optin, "max_num_regs": PROPERTIES.regs_per_multiprocessor,
                "multiprocessor_count": PROPERTIES.multi_processor_count, "warpSize": 32, "sm_clock_rate": 1980000, "mem_clock_rate": 2619000, "mem_bus_width": 6144}  # yapf: disable


class Driver:
    """What `triton.runtime.driver.active` is asked, on either side."""

    def __init__(self):
        from triton.backends.compiler import GPUTarget
        self.target, self.utils = GPUTarget("cuda", 90, 32), Utils()

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def get_current_stream(self, _=None):
        return 0

    def get_device_capability(self, _=0):
        return 9, 0

    def set_current_device(self, _):
        pass

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        import torch
        return torch.cuda

    def get_benchmarker(self):
        return lambda call, quantiles=None, **_: [1.0] * len(quantiles or (0.5,))


def on_processor(device):
    import torch
    if isinstance(device, int) and not isinstance(device, bool):
        return torch.device("cpu")
    if isinstance(device, (str, torch.device)) and str(device).startswith("cuda"):
        return torch.device("cpu")
    return device


def devices_mode():
    """Whatever asks for `cuda` gets the processor."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):

        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if function is torch.Tensor.cuda:
                return args[0]
            if "device" in kwargs:
                kwargs["device"] = on_processor(kwargs["device"])
            if kwargs.pop("pin_memory", None):
                pass
            if function is torch.Tensor.to:
                args = tuple(on_processor(each) if isinstance(each, (str, torch.device)) else each for each in args)
            return function(*args, **kwargs)

    return Mode()


def pretend():
    import torch
    from triton.runtime import driver
    cuda = torch.cuda
    cuda.is_available = cuda.is_initialized = lambda: True
    cuda.is_bf16_supported = lambda *_, **__: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.get_device_name = lambda *_: PROPERTIES.name
    cuda.get_device_capability = lambda *_: (9, 0)
    cuda.get_device_properties = lambda *_: PROPERTIES
    cuda.current_stream = cuda.default_stream = cuda.Stream = Stream
    cuda.Event = Event
    cuda.stream = lambda stream: contextlib.nullcontext(stream)
    cuda.device = cuda.device_of = lambda *_: contextlib.nullcontext()
    for name in ("synchronize", "empty_cache", "manual_seed", "manual_seed_all", "set_device", "init", "reset_peak_memory_stats", "_sleep"):
        setattr(cuda, name, lambda *_, **__: None)
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved"):
        setattr(cuda, name, lambda *_, **__: 0)
    torch.version.cuda = torch.version.cuda or "12.8"
    torch.Tensor.is_cuda = property(lambda self: True)
    mode = devices_mode()
    mode.__enter__()
    driver.set_active(Driver())
    return mode

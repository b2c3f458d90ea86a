"""pretended_gpu.py: an H200 that only compiles, on machines without a GPU, for programs that make their tensors on `cuda` and launch kernels there.

`pretend()` before the program runs: its tensors are the processor's, `torch.cuda` answers with an H200's facts, both sides' `triton` see the target
`cuda:90`, and nothing waits for anything. A launch is left to whoever takes the place of `JITFunction.run` (machine_code.py): values are what the memory holds."""
import contextlib
import math
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


class Device(contextlib.nullcontext):

    def __init__(self, *_):
        super().__init__()


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
    moves = (torch.Tensor.to, torch.Tensor.type, torch.Tensor.new_tensor, torch.Tensor.pin_memory)

    class Mode(TorchFunctionMode):

        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if function is torch.Tensor.cuda or function is torch.Tensor.pin_memory:
                return args[0]
            if function is torch.Tensor.is_pinned:
                return True
            if "device" in kwargs:
                kwargs["device"] = on_processor(kwargs["device"])
            kwargs.pop("pin_memory", None)
            if function in moves:
                args = (args[0], *(on_processor(each) if isinstance(each, (str, torch.device)) else each for each in args[1:]))
            return function(*args, **kwargs)

    return Mode()


MUCH = 1 << 17  # what is computed on tensors of more elements are zeros: nobody looks at them


def zeros_mode():
    """Operators on large tensors, of references too, give zeros of the right shape; memory that nothing set is zeros, so that indexes in it are some."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves, tree_map
    aten = torch.ops.aten
    never_here = {aten._scaled_mm, aten._scaled_grouped_mm, aten._grouped_mm, aten._int_mm}
    fresh = {aten.empty, aten.empty_like, aten.empty_strided, aten.new_empty, aten.new_empty_strided}
    made = {aten.randn, aten.rand, aten.randint, aten.normal, aten.ones, aten.full, aten.rand_like, aten.randn_like, aten.ones_like, aten.full_like, aten.arange}

    def on_meta(value):
        return value.to("meta") if isinstance(value, torch.Tensor) else torch.device("meta") if isinstance(value, torch.device) else value

    def zeros_of(value):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype).zero_() if isinstance(value, torch.Tensor) else value

    def is_large(function, args, kwargs):
        tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        if function.overloadpacket in made and not tensors:
            sizes = args[-1] if args and isinstance(args[-1], (list, tuple)) else next((each for each in args if isinstance(each, (list, tuple))), ())
            return math.prod(each for each in sizes if isinstance(each, int)) > MUCH
        elements = sum(each.numel() for each in tensors)
        return elements > MUCH or (len(tensors) > 1 and elements > 1 << 12 and max(each.shape[-1] for each in tensors if each.dim()) * elements > 1 << 24)

    class Mode(TorchDispatchMode):

        def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if "device" in kwargs:
                kwargs["device"] = on_processor(kwargs["device"])
            packet = function.overloadpacket
            if function.namespace == "aten" and packet not in fresh and not function.is_view and (packet in never_here or is_large(function, args, kwargs)):
                returns = function._schema.returns
                if any(each.alias_info is not None for each in returns):
                    return kwargs.get("out", args[0]) if len(returns) == 1 else function(*args, **kwargs)
                try:
                    shapes = function(*tree_map(on_meta, args), **{**tree_map(on_meta, kwargs), **({"device": "meta"} if "device" in kwargs or packet in made and not isinstance(args[0], torch.Tensor) else {})})
                    return tree_map(zeros_of, shapes)
                except (RuntimeError, NotImplementedError, TypeError):
                    pass
            result = function(*args, **kwargs)
            if packet in fresh and result.device.type == "cpu" and 0 < result.numel() <= MUCH:
                result.zero_()
            return result

    return Mode()


class Graph(contextlib.nullcontext):
    """What is captured has run, and is run no more."""

    def __init__(self, *_, **__):
        super().__init__()

    def replay(self):
        pass

    capture_begin = capture_end = reset = replay

    def pool(self):
        return 0, 0


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
    cuda.device = cuda.device_of = Device
    for name in ("synchronize", "empty_cache", "manual_seed", "manual_seed_all", "set_device", "init", "reset_peak_memory_stats", "_sleep"):
        setattr(cuda, name, lambda *_, **__: None)
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved"):
        setattr(cuda, name, lambda *_, **__: 0)
    torch.version.cuda = torch.version.cuda or "12.8"
    torch.Tensor.is_cuda = property(lambda self: True)
    pretend_generator(torch)
    pretend_operators(torch.library)
    set_default, torch.set_default_device = torch.set_default_device, lambda device: set_default(on_processor(device))  # asked after the mode below
    mode = devices_mode()
    mode.__enter__()
    driver.set_active(Driver())
    return mode


def pretend_generator(torch):
    """Random numbers of `cuda` are the processor's."""

    class Generator(torch.Generator):

        def __new__(cls, device=None):
            return super().__new__(cls, "cpu")

        def __init__(self, device=None):
            pass

    torch.Generator = Generator


def pretend_operators(library):
    """Operators for `CUDA` are the processor's."""
    of_library, of_impl, of_kernel = library.custom_op, library.Library.impl, library.register_kernel

    def custom_op(name, fn=None, /, *, mutates_args, device_types=None, **rest):
        return of_library(name, fn, mutates_args=mutates_args, **rest)

    taken = set()

    def impl(self, name, function, key="", **rest):
        here = (self.ns, str(getattr(name, "_name", name)).split("::")[-1])
        if key == "CUDA":
            taken.add(here)
            return of_impl(self, name, function, "CPU", **{**rest, "allow_override": True})
        if key != "CPU" or here not in taken:
            return of_impl(self, name, function, key, **rest)

    def register_kernel(op, kinds=None, *rest, **named):
        return of_kernel(op, "cpu" if kinds == "cuda" else kinds, *rest, **named)

    library.custom_op, library.Library.impl, library.register_kernel = custom_op, impl, register_kernel


def pretend_wholly():
    """`pretend()`, and what programs reach only in their tests: tensors say that they are on `cuda`, streams and graphs are there, nothing is compiled by
    Inductor, and large products are not computed."""
    import torch
    pretend()
    cuda = torch.cuda
    of_tensor = torch.Tensor.device
    torch.Tensor.device = property(lambda self: torch.device("cuda", 0) if of_tensor.__get__(self).type == "cpu" else of_tensor.__get__(self))
    torch.Tensor.get_device = lambda self: 0
    cuda.CUDAGraph, cuda.graph = Graph, lambda *_, **__: contextlib.nullcontext()
    cuda.mem_get_info = lambda *_: (100 << 30, 141 << 30)
    cuda.is_current_stream_capturing = lambda: False
    cuda.get_rng_state, cuda.set_rng_state = lambda *_: torch.get_rng_state(), lambda state, *_: torch.set_rng_state(state)
    cuda.get_arch_list = lambda: ["sm_90"]
    cuda.memory_stats = lambda *_: {}
    cuda.reset_max_memory_allocated = cuda.reset_accumulated_memory_stats = cuda.ipc_collect = lambda *_: None
    cuda.max_memory_reserved = lambda *_: 0
    torch._C._cuda_getCurrentRawStream = lambda *_: 0
    torch.compile = lambda function=None, **_: function if function is not None else lambda function: function

    mode = zeros_mode()
    mode.__enter__()
    return mode

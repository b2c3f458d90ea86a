"""Timing kernels, comparing results, reports with plots, and what a device can do at most."""
import os

from . import runtime  # noqa: F401 (programs reach it through this module)
from .runtime.driver import driver
from . import _perf_report
from ._perf_report import Benchmark, Mark, perf_report  # noqa: F401

_RETURN_MODES = ("min", "max", "mean", "median", "all")


def _quantile(values, fractions):
    """Quantiles with linear interpolation between neighbours."""
    values = sorted(values)

    def at(fraction):
        if not 0 <= fraction <= 1:
            raise ValueError("Quantiles must be in the range [0, 1]")
        position = fraction * (len(values) - 1)
        lower = int(position)
        upper = min(lower + 1, len(values) - 1)
        weight = position - lower
        return (1 - weight) * values[lower] + weight * values[upper]

    return [at(fraction) for fraction in fractions]


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        found = _quantile(times, quantiles)
        return found[0] if len(found) == 1 else found
    if return_mode == "mean":
        return sum(times) / len(times)
    if return_mode == "median":
        return _quantile(times, [0.5])[0]
    return {"all": list, "min": min, "max": max}[return_mode](times)


def _check_mode(return_mode):
    assert return_mode in _RETURN_MODES, f"`return_mode` must be one of {_RETURN_MODES}, got {return_mode!r}"


def _milliseconds(interface, fn, count, before=None):
    start, end = interface.Event(enable_timing=True), interface.Event(enable_timing=True)
    start.record()
    for _ in range(count):
        if before:
            before()
        fn()
    end.record()
    interface.synchronize()
    return start.elapsed_time(end)


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """What a call of `fn` takes, in milliseconds, with cold caches.

    `warmup` and `rep` are times in milliseconds; `quantiles` asks for these instead of `return_mode`; the gradients of the
    tensors in `grad_to_none` are dropped before each call.
    """
    _check_mode(return_mode)
    device = driver.active
    interface = device.get_device_interface()
    if _perf_report.QUICK:  # what counts is that it runs
        warmup, rep = 0, 1
    fn()
    interface.synchronize()
    cache = device.get_empty_cache_for_benchmark()
    clear = lambda: device.clear_cache(cache)  # noqa: E731
    estimate = max(_milliseconds(interface, fn, 5, clear) / 5, 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    events = []
    for _ in range(max(1, int(rep / estimate))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        clear()
        start, end = interface.Event(enable_timing=True), interface.Event(enable_timing=True)
        start.record()
        fn()
        end.record()
        events.append((start, end))
    interface.synchronize()
    return _summarize_statistics([start.elapsed_time(end) for start, end in events], quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """What a call of `fn` takes on the GPU alone, in milliseconds: the calls are recorded and replayed as one graph."""
    _check_mode(return_mode)
    if driver.active.get_current_target().backend != "cuda":  # a processor has no launches to leave out
        return do_bench(fn, warmup=1, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)
    import torch
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None
        estimate = _milliseconds(torch.cuda, fn, 5) / 5
        count = max(1, int(rep / estimate)) if estimate else 1000
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()
        torch.cuda.synchronize()
        times = [_milliseconds(torch.cuda, graph.replay, 1) / count for _ in range(10)]
    return _summarize_statistics(times, quantiles, return_mode)


def _to_numpy(value):
    import numpy as np
    if hasattr(value, "detach"):  # torch
        value = value.detach().cpu()
        return (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    return np.asarray(value)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises an AssertionError where two numbers, arrays or tensors differ by more than `atol` (1e-2) and `rtol` (0)."""
    import numpy as np
    dtype = getattr(x, "dtype", None)
    atol = 1e-2 if atol is None else atol(dtype) if callable(atol) else atol
    rtol = 0.0 if rtol is None else rtol(dtype) if callable(rtol) else rtol
    x, y = _to_numpy(x), _to_numpy(y)
    if x.size > 1 or y.size > 1:
        np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
    elif not np.allclose(x, y, atol=atol, rtol=rtol):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})")


def nvsmi(attrs):
    """Numbers that nvidia-smi tells of the first GPU."""
    import subprocess
    command = ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs), "--format=csv,noheader,nounits"]
    return [int(number) for number in subprocess.check_output(command).decode().split(",")]


def _properties(device):
    if driver.active.get_current_target().backend != "cuda":
        raise RuntimeError("the limits of the device are known for NVIDIA GPUs only; the active device is a processor")
    return driver.active.utils.get_device_properties(driver.active.get_current_device() if device is None else device)


def get_dram_gbps(device=None):
    """The bandwidth of the GPU's memory in GB/s, from its clock and bus."""
    about = _properties(device)
    return about["mem_clock_rate"] * about["mem_bus_width"] * 2 / 1e6 / 8


def _tflops(operations_of_subcore, clock_rate, device):
    return _properties(device)["multiprocessor_count"] * 4 * clock_rate * operations_of_subcore * 1e-9


def _dtype_name(dtype):
    return str(dtype).rpartition(".")[2]


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """The most that tensor cores do at a clock (in kHz), in TFLOPS."""
    name, major = _dtype_name(dtype), driver.active.get_device_capability(device)[0]
    if major < 8:
        assert name == "float16", f"tensor cores of this GPU multiply float16 only, not {name}"
        return _tflops(256, clock_rate, device)
    rates = {**dict.fromkeys(("float32", "int32"), 256), **dict.fromkeys(("float16", "bfloat16", "int16"), 512),
             **dict.fromkeys(("int8", "fp8e4nv", "fp8e4b15", "fp8e5", "float8_e4m3fn", "float8_e5m2"), 1024)}  # yapf: disable
    if name not in rates:
        raise RuntimeError(f"dtype not supported: {dtype}")
    # A Hopper's tensor cores do twice what an Ampere's do; Triton's figure, kept here for comparisons, is Ampere's.
    return _tflops(rates[name], clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The most that ordinary instructions do at a clock (in kHz), in TFLOPS."""
    rates = {"float32": 32, "float16": 64}
    if driver.active.get_device_capability(device)[0] >= 8:
        rates["bfloat16"] = 64
    if _dtype_name(dtype) not in rates:
        raise RuntimeError(f"dtype not supported: {dtype}")
    return _tflops(rates[_dtype_name(dtype)], clock_rate, device)


def cuda_memcheck(**target_kwargs):
    """Decorator: runs a test again under the memory checker of CUDA where its arguments are these."""

    def decorate(test):
        from functools import wraps

        @wraps(test)
        def wrapper(*args, **kwargs):
            import subprocess
            if not target_kwargs.items() <= kwargs.items() or "NEREID_MEMCHECK" in os.environ:
                return test(*args, **kwargs)
            assert "request" in kwargs, "memcheck'ed test must have a (possibly unused) `request` fixture"
            path = os.path.realpath(test.__globals__["__file__"])
            name = f"{path}::{test.__name__}[{kwargs['request'].node.callspec.id}]"
            environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1", "NEREID_MEMCHECK": "1"}
            ran = subprocess.run(["compute-sanitizer", "pytest", "-vs", name], capture_output=True, env=environment)
            assert ran.returncode == 0, "cuda-memcheck returned an error: bounds checking failed"
            assert b"ERROR SUMMARY: 0 errors" in ran.stdout

        return wrapper

    return decorate


class set_gpu_clock:
    """In a `with` statement: the first GPU runs at fixed clocks; gives (TFLOPS, GB/s) of an A100 at them."""

    def __init__(self, ref_sm_clock=1350, ref_mem_clock=1215):
        self.clocks = ref_sm_clock, ref_mem_clock

    def _call(self, *options):
        import subprocess
        subprocess.check_output(["nvidia-smi", "-i", "0", *options])

    def __enter__(self):
        core, memory = self.clocks
        self._call("-pm", "1")
        self._call(f"--lock-gpu-clocks={core},{core}")
        self._call(f"--lock-memory-clocks={memory},{memory}")
        for name, wanted in (("clocks.current.sm", core), ("clocks.current.memory", memory)):
            assert abs(nvsmi([name])[0] - wanted) < 10, f"GPU must run at {wanted} MHz ({name})"
        return 1e-6 * 2 * 108 * 4 * 256 * core, 640 * 2 * memory * 1e-3

    def __exit__(self, *exception):
        for option in (("-pm", "0"), ("-rgc", ), ("-rmc", )):
            self._call(*option)

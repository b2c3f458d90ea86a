"""What the tests of Triton import: questions about the device, random data, conversions.

pytest's `--device cpu` makes the processor the device that the questions are about, on a machine with a GPU too.
"""
import multiprocessing
import os
import sys
import tempfile
from contextlib import contextmanager
from typing import NamedTuple, Optional

import numpy as np
import pytest
import torch

from . import knobs, language as tl
from ._knob_types import notify_launches
from ._utils import type_canonicalisation_dict
from .runtime.driver import driver
from .runtime.jit import TensorWrapper, reinterpret

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool"] + int_dtypes + ["uint8"] + float_dtypes + ["bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})


def _device_option():
    words = sys.argv + os.environ.get("PYTEST_ADDOPTS", "").split()
    for i, word in enumerate(words):
        if word == "--device" and i + 1 < len(words):
            return words[i + 1]
        if word.startswith("--device="):
            return word.partition("=")[2]
    return None


if _device_option() == "cpu":
    os.environ["NEREID_DEVICE"] = "cpu"
    driver.reset_active()


def is_interpreter():
    return knobs.runtime.interpret


def get_current_target():
    return None if is_interpreter() else driver.active.get_current_target()


def _backend():
    target = get_current_target()
    return "" if target is None else target.backend


def _capability():
    """The major compute capability of the GPU, 0 where there is none."""
    return get_current_target().arch // 10 if is_cuda() else 0


def is_cuda():
    return _backend() == "cuda"


def is_ampere_or_newer():
    return _capability() >= 8


def is_hopper():
    return _capability() == 9


def is_hopper_or_newer():
    return _capability() >= 9


def is_blackwell():
    return _capability() == 10


def is_blackwell_ultra():
    return is_cuda() and get_current_target().arch == 103


def is_rubin():
    return is_cuda() and get_current_target().arch == 107


def is_sm12x():
    return _capability() == 12


def is_hip():
    return _backend() == "hip"


def is_xpu():
    return _backend() == "xpu"


def _is_hip_architecture(name):
    return is_hip() and name in get_current_target().arch


def is_hip_cdna2():
    return _is_hip_architecture("gfx90a")


def is_hip_cdna3():
    return _is_hip_architecture("gfx942")


def is_hip_cdna4():
    return _is_hip_architecture("gfx950")


def is_hip_cdna3_or_newer():
    return is_hip_cdna3() or is_hip_cdna4()


def is_hip_cdna():
    return is_hip_cdna2() or is_hip_cdna3() or is_hip_cdna4()


def is_hip_rdna3():
    return _is_hip_architecture("gfx110") or _is_hip_architecture("gfx115")


def is_hip_rdna4():
    return _is_hip_architecture("gfx120")


def is_hip_rdna4m():
    return _is_hip_architecture("gfx117")


def is_hip_rdna():
    return is_hip_rdna3() or is_hip_rdna4() or is_hip_rdna4m()


def is_hip_gfx11():
    return _is_hip_architecture("gfx11")


def is_hip_gfx12():
    return _is_hip_architecture("gfx12")


def is_hip_gfx1250():
    return _is_hip_architecture("gfx1250")


def get_hip_lds_size():
    return 163840 if is_hip_cdna4() else 65536


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random data of a type: integers without zero over their whole range, floats around zero, raw bytes for fp8."""
    shape = (shape, ) if isinstance(shape, int) else shape
    rs = np.random.RandomState(seed=17) if rs is None else rs
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        values = rs.randint(low, high, shape, dtype=dtype_str)
        values[values == 0] = 1  # tests divide by them
        return values
    if dtype_str and "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = rs.normal(0, 1, shape).astype("float32").view("uint32")
        return (bits & np.uint32(0xffff0000)).view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.normal(0, 1, shape) > 0.0
    raise RuntimeError(f"Unknown dtype {dtype_str}")


def to_triton(x, device, dst_type=None):
    """A tensor on a device; types that torch lacks become a view of one that it has."""
    name = x.dtype.name
    if name in uint_dtypes:
        return reinterpret(torch.tensor(x.astype(name.lstrip("u")), device=device), getattr(tl, name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, getattr(tl, dst_type))
    return tensor.bfloat16() if name == "float32" and dst_type == "bfloat16" else tensor


def str_to_triton_dtype(x):
    return tl.str_to_ty(type_canonicalisation_dict[x], None)


def torch_dtype_name(dtype):
    if isinstance(dtype, tl.dtype):
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return str(dtype).partition(".")[2]
    raise TypeError(f"not a triton or torch dtype: {type(dtype)}")


def to_numpy(x):
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(torch_dtype_name(x.dtype))
    if isinstance(x, torch.Tensor):
        return (x.cpu().float() if x.dtype is torch.bfloat16 else x.cpu()).numpy()
    raise ValueError(f"Not a triton-compatible tensor: {x}")


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def supports_tma(byval_only=False):
    """Whether tensor descriptors work: everywhere but on GPUs that are older than Hopper."""
    return not is_cuda() or _capability() >= 9


def supports_ws():
    return is_interpreter() or _capability() >= 9


def supports_clc():
    """Whether programs can be taken over from others that have not begun: no GPU that code is made for is asked to."""
    return False


def tma_skip_msg(byval_only=False):
    return "Requires TMA support (NVIDIA Hopper or higher)"


requires_tma = pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def default_alloc_fn(size, align, _):
    return torch.empty(size, dtype=torch.int8, device=driver.active.get_active_torch_device())


def is_compile_warmup():
    """Triton's runner compiles the kernels of all tests before they run; here each is compiled when it is launched."""
    return False


def random_int(low, high, *, warmup_value=None, **kwargs):
    return int(torch.randint(low, high, size=(), **kwargs).item())


def random_float(*, warmup_value=0.5, **kwargs):
    return float(torch.rand((), **kwargs).item())


class ProcessResult(NamedTuple):
    exc: Optional[Exception]
    driver_stderr_output: str


def _call_in_process(result, path, function, args, kwargs, environment):
    with open(path, "w") as file:
        os.dup2(file.fileno(), 2)
    os.environ.update(environment)
    try:
        function(*args, **kwargs)
        if driver.active.get_current_target().backend == "cuda":
            driver.active.get_device_interface().synchronize()
        result.send(None)
    except Exception as exception:
        result.send(exception)


def run_in_process(client_fn, args=(), kwargs=None, env=None):
    """Calls a function in a process of its own: what it raised, and what was written to its standard error."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stderr")
        process = context.Process(target=_call_in_process, args=(sender, path, client_fn, args, kwargs or {}, env or {}))
        process.start()
        sender.close()
        limit = os.environ.get("TRITON_TEST_PROCESS_TIMEOUT")
        if not receiver.poll(float(limit) if limit else None):
            process.kill()
            process.join()
            raise TimeoutError(f"test subprocess {client_fn.__name__} exceeded its {float(limit)}-second timeout")
        try:
            exception = receiver.recv()
        except EOFError:
            process.join()
            raise RuntimeError(f"child process exited with code {process.exitcode} without returning a result") from None
        process.join()
        with open(path) as file:
            return ProcessResult(exception, file.read())


@contextmanager
def use_process_pool(preload_module):
    """Processes that are started ahead: here each call starts its own."""
    yield None


def _fresh_knobs_impl(skipped_attr=None):
    """Two functions: one gives knobs as if nothing was set, the other brings back what was."""
    skipped = skipped_attr or set()
    groups = {name: group for name, group in vars(knobs).items()
              if isinstance(group, knobs.base_knobs) and name not in skipped}  # yapf: disable
    keys = [knob.key for group in groups.values() for knob in group.knob_descriptors.values()]
    variables = {key: os.environ.get(key) for key in keys}
    propagate = knobs.propagate_env

    def fresh_function():
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        for key in keys:
            os.environ.pop(key, None)
        knobs.propagate_env = True
        notify_launches()
        return knobs

    def reset_function():
        for name, group in groups.items():
            setattr(knobs, name, group)
        for key, value in variables.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
        knobs.propagate_env = propagate
        notify_launches()

    return fresh_function, reset_function

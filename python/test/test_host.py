"""The rest of the host side: drivers, cache, allocation, descriptors, targets, background compilation, imports."""
import importlib
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.runtime import _allocation
from triton.runtime._async_compile import AsyncCompileMode
from triton.runtime.cache import FileCacheManager, get_cache_manager
from triton.runtime.driver import DriverConfig
from triton.tools.tensor_descriptor import TensorDescriptor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*words, **variables):
    environment = {**os.environ, "PYTHONPATH": ROOT, **variables}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True)


def test_import_is_light():
    loaded = run("-c", "import sys; before = set(sys.modules); import triton, triton.language; print(*set(sys.modules) - before)").stdout.split()
    heavy = {"torch", "numpy", "inspect", "ast", "json", "subprocess", "tempfile", "dataclasses", "pytest"} & set(loaded)
    assert "triton" in loaded and not heavy


def test_public_names():
    assert triton.__version__ == "3.6.0" and triton.__nereid__
    assert all(hasattr(triton, name) for name in triton.__all__)


def test_small_functions():
    assert triton.cdiv(7, 4) == 2 and triton.cdiv(8, 4) == 2
    assert [triton.next_power_of_2(n) for n in (0, 1, 2, 3, 5, 1024, 1025)] == [0, 1, 2, 4, 8, 1024, 2048]


def test_driver_of_the_processor():
    config = DriverConfig()
    active = config.active
    assert active.get_current_target().backend == "cpu" and active.get_current_stream(0) == 0
    assert active.utils.get_device_properties(0)["multiprocessor_count"] >= 1
    assert active.map_python_to_cpp_type("*fp32") == "void*" and active.map_python_to_cpp_type("i64") == "int64_t"
    other = object()
    config.set_active(other)
    assert config.active is other
    config.reset_active()
    assert config.active is active


class TorchWithGpu:
    """As much of torch as the question for a GPU needs."""

    class cuda:
        is_available = staticmethod(lambda: True)

    class version:
        hip = None


@pytest.mark.parametrize("torch, wanted, expected", [(None, None, "cpu"), (TorchWithGpu, None, "nvidia"), (TorchWithGpu, "cpu", "cpu"), (None, "cuda:1", "nvidia")])
def test_exactly_one_kind_of_device_is_active(monkeypatch, torch, wanted, expected):
    # vLLM, and Triton itself, go on without Triton where it is none or two.
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setenv("NEREID_DEVICE", wanted) if wanted else monkeypatch.delenv("NEREID_DEVICE", raising=False)
    assert [name for name, backend in triton.backends.backends.items() if backend.driver.is_active()] == [expected]


def test_target():
    target = GPUTarget("cuda", 90, 32)
    assert target == GPUTarget("cuda", 90, 32) and hash(target) == hash(GPUTarget("cuda", 90, 32)) and target != GPUTarget("cuda", 80, 32)
    assert pickle.loads(pickle.dumps(target)) == target
    with pytest.raises(AttributeError):
        target.arch = 80


def test_cache(fresh_cache):
    cache = get_cache_manager("00ff")
    assert cache.get_file("a.txt") is None
    path = cache.put("text", "a.txt")
    assert open(path).read() == "text" and cache.get_file("a.txt") == path
    cache.put_group("g", {"a.txt": path, "gone": "/nowhere"})
    assert cache.get_group("g") == {"a.txt": path} and cache.get_group("h") is None
    assert os.listdir(fresh_cache) == [FileCacheManager("AD7Q").key]


def test_allocator():
    with pytest.raises(RuntimeError, match="triton.set_allocator"):
        _allocation._allocator.get()(16, 8, None)
    triton.set_allocator(lambda size, alignment, stream: bytearray(size))
    assert len(_allocation._allocator.get()(16, 8, None)) == 16
    triton.set_allocator(_allocation.NullAllocator())


def aligned(shape, dtype):
    raw = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + 16, dtype=np.uint8)
    start = -raw.ctypes.data % 16
    return raw[start:start + raw.size - 16].view(dtype).reshape(shape)


def test_descriptor():
    array = aligned((8, 16), np.float32)
    descriptor = TensorDescriptor.from_tensor(array, [4, 8])
    assert list(descriptor.shape) == [8, 16] and list(descriptor.strides) == [16, 1] and descriptor.padding == "zero"
    with pytest.raises(AssertionError, match="rank mismatch"):
        TensorDescriptor(array, [8, 16], [16, 1], [4])
    with pytest.raises(ValueError, match="power of 2"):
        TensorDescriptor.from_tensor(array, [3, 8])
    with pytest.raises(AssertionError, match="contiguous"):
        TensorDescriptor(array, [8, 16], [16, 2], [4, 8])
    with pytest.raises(AssertionError, match="floating point"):
        TensorDescriptor.from_tensor(aligned((8, 16), np.int32), [4, 8], padding="nan")


def test_background_compilation():
    done = []
    with ThreadPoolExecutor(2) as pool:
        with AsyncCompileMode(pool) as mode:
            kernel = mode.submit("key", lambda: 42, done.append)
            assert mode.submit("key", lambda: 43, done.append) is kernel
            with pytest.raises(RuntimeError, match="already active"):
                AsyncCompileMode(pool).__enter__()
        assert kernel.result() == 42 and done == [42]
        with pytest.raises(ZeroDivisionError):
            with AsyncCompileMode(pool) as mode:
                mode.submit("key", lambda: 1 // 0, done.append)
        with AsyncCompileMode(pool, ignore_errors=True) as mode:
            assert mode.submit("key", lambda: 1 // 0, done.append).result(ignore_errors=True) is None


def test_run_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, triton; print(triton.__nereid__, sys.argv[1:], __name__)")
    assert run("-m", "nereid", str(script), "a", "b").stdout == "True ['a', 'b'] __main__\n"
    code = "import sys, triton\n@triton.jit\ndef k(x):\n    pass\nprint('def k' in k.src, sys.argv, __name__)"
    assert run("-m", "nereid", "-c", code, "a").stdout == "True ['-c', 'a'] __main__\n"
    missing = run("-m", "nereid", "nowhere.py")
    assert missing.returncode == 2 and "nowhere.py" in missing.stderr


def test_gluon_says_what_it_is():
    from triton.experimental import gluon
    from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as WithLayout
    layout = gluon.language.NVMMASharedLayout.get_default_for([64, 64], triton.language.float16)
    assert layout.swizzle_byte_width == 128
    assert WithLayout.from_tensor(aligned((64, 64), np.float16), [64, 64], layout).layout is layout

    @gluon.jit
    def kernel(x):
        pass

    with pytest.raises(NotImplementedError, match="Gluon"):
        kernel.run(1, grid=(1, ))


@triton.jit
def told(x, n: tl.constexpr, TIME: tl.constexpr = 0):
    tl.static_print("n is", n, x + tl.arange(0, n))
    tl.store(x + tl.arange(0, n), 1)


def test_static_print(capsys):
    import time
    x, now = np.zeros(4, np.int32), time.time_ns()  # no earlier run has compiled this
    told[(1, )](x, 4, now)
    told[(1, )](x, 4, now)
    assert capsys.readouterr().out == "n is 4 pointer<int32>[constexpr[4]]\n"
    told.device_caches.clear()  # it is found on disk
    told[(1, )](x, 4, now)
    assert capsys.readouterr().out == ""


@triton.jit
def given():
    return 0


@triton.jit
def calls(x, FUNCTION: tl.constexpr):
    tl.store(x, FUNCTION())


def test_replaced_text_of_a_function_argument():
    x = np.full(1, 9, np.int32)
    calls[(1, )](x, given)
    before = given.src
    given._unsafe_update_src(before.replace("0", "1"))
    calls[(1, )](x, given)
    assert x[0] == 1
    given._unsafe_update_src(before)
    calls[(1, )](x, given)
    assert x[0] == 0


def test_error_in_a_background_compilation_does_not_hang():
    from concurrent.futures import Executor, Future

    class Never(Executor):

        def submit(self, fn, *args, **kwargs):
            return Future()

    with pytest.raises(ZeroDivisionError):
        with triton.AsyncCompileMode(Never()):
            told.warmup(np.zeros(4, np.int32), 4, grid=(1, ))
            1 / 0


def test_names_of_the_script_that_a_kernel_hides(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import numpy as np, triton, triton.language as tl
@triton.constexpr_function
def two(): return 2
@triton.jit
def fill(x, n: tl.constexpr):
    part = x + tl.arange(0, n)
    tl.store(part, two())
x, part, n = np.zeros(4096, np.int32), np.zeros(4096), object()
fill[(1, )](x, 16)
assert x[:16].tolist() == [2] * 16
""")
    environment = dict(os.environ, PYTHONPATH=ROOT, NEREID_CACHE_DIR=str(tmp_path / "cache"))
    counts = []
    for _ in range(2):
        subprocess.run([sys.executable, str(script)], check=True, env=environment)
        counts.append(len(list((tmp_path / "cache").rglob("*.kernel"))))
    assert counts == [1, 1]  # the second process finds the code of the first


def test_stable_text():
    from nereid._support import stable_text
    scale = 3

    def helper(n):
        return n * scale

    def first(n):
        return helper(n) + 1

    def second(n):
        return helper(n) + 2

    def asks_for_the_time():
        import time
        return time.time()

    def of_the_machine():
        return os.cpu_count()

    assert stable_text(first) == stable_text(first) != stable_text(second)
    assert stable_text(asks_for_the_time) is None and stable_text(of_the_machine) is None


@triton.constexpr_function
def flag():
    return False


@triton.jit
def asks(x):
    tl.store(x, flag())


def test_replaced_text_of_a_constexpr_function():
    before, text = asks.cache_key, flag.src
    flag._unsafe_update_src(text.replace("False", "True"))
    asks.hash = None
    x = np.zeros(4, np.int32)
    asks[(1, )](x)
    assert asks.cache_key != before and x[0] == 1
    flag._unsafe_update_src(text)
    asks.hash = None
    assert asks.cache_key == before


@triton.constexpr_function
def of_the_process():
    return os.getpid()


def test_key_of_a_function_that_depends_on_the_process():
    with pytest.raises(RuntimeError, match="depends on more than constants"):
        of_the_process.cache_key


LATER = tl.constexpr(4)


@triton.jit
def reads_before_it_assigns(x):
    tl.store(x, LATER)
    LATER = 3  # noqa


def test_a_name_that_is_read_before_it_is_assigned():
    global LATER
    x = np.zeros(4, np.int32)
    reads_before_it_assigns[(1, )](x)
    assert x[0] == 4
    LATER = tl.constexpr(5)
    with pytest.raises(RuntimeError, match="LATER has changed"):
        reads_before_it_assigns[(1, )](x)


def test_a_program_says_where_a_text_that_it_made_stands():
    @triton.jit
    def template(out):
        tl.store(out, 1)

    made = triton.JITFunction(template.fn)
    made._unsafe_update_src("def template(out):\n    two: tl.constexpr = 2\n    tl.store(out, two)\n")
    made.raw_src, made.starting_line_number = ["@triton.jit\n", "def template(out):\n"], 70
    made.fn.__code__ = made.fn.__code__.replace(co_filename="/there/templates.py")
    out = np.zeros(1, np.int32)
    compiled = made[(1, )](out)
    assert out[0] == 2
    assert '"/there/templates.py":73:5' in compiled.asm["ttir"]


def test_the_driver_is_looked_for_where_something_has_changed(monkeypatch):
    driver = importlib.import_module("triton.runtime.driver")
    looks = []

    def look():
        looks.append(os.environ["NEREID_DEVICE"])
        return SimpleNamespace(name="cuda" if looks[-1] == "cuda" else "cpu")

    monkeypatch.setattr(driver, "_create_driver", look)
    monkeypatch.setenv("NEREID_DEVICE", "cpu")
    config = driver.DriverConfig()
    first = config.active
    assert config.active is first and config.active is first and looks == ["cpu"]
    monkeypatch.setenv("NEREID_DEVICE", "interp")
    assert config.active is first and looks == ["cpu", "interp"]
    monkeypatch.setenv("NEREID_DEVICE", "cuda")
    assert config.active.name == "cuda" and looks == ["cpu", "interp", "cuda"]

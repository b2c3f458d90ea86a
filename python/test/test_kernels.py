"""Kernels end to end on the processor, with numpy: results, wrong use, the small API of `nereid`."""
import nereid
import numpy as np
import pytest
import triton
import triton.language as tl

FILE = '''
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * factor, mask=mask)
'''


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@pytest.fixture
def data():
    x = np.random.RandomState(0).rand(1000).astype(np.float32)
    return x, x[::-1].copy(), np.zeros_like(x)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scale.py"
    path.write_text(FILE)
    return str(path)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "float16", "float32", "float64"])
def test_add(dtype):
    x = np.arange(100).astype(dtype)
    out = np.zeros_like(x)
    add[(2, )](x, x, out, 100, BLOCK=64)
    np.testing.assert_array_equal(out, x + x)


def test_grid_of_a_function(data):
    x, y, out = data
    compiled = add[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]), )](x, y, out, n=1000, BLOCK=256, num_warps=8)
    np.testing.assert_array_equal(out, x + y)
    assert compiled.metadata.num_warps == 8 and "llir" in compiled.asm and compiled.asm["llir"]


def test_compiled_kernel_launches(data):
    x, y, out = data
    compiled = add.warmup(x, y, out, 1000, BLOCK=128, grid=(1, ))
    assert not out.any()
    compiled[(8, 1, 1)](x, y, out, 1000, 128)
    np.testing.assert_array_equal(out, x + y)


def test_autotuned_and_heuristic(data):
    x, y, out = data
    configs = [triton.Config({"BLOCK": block}) for block in (128, 256)]
    tuned = triton.autotune(configs, key=["n"], do_bench=lambda call, quantiles: [call() or 1.0] * 3)(add)
    tuned[lambda meta: (triton.cdiv(1000, meta["BLOCK"]), )](x, y, out, 1000)
    np.testing.assert_array_equal(out, x + y)
    out[:] = 0
    triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})(add)[(1, )](x, y, out, 1000)
    np.testing.assert_array_equal(out, x + y)


def test_wrong_use(data):
    x, y, out = data
    with pytest.raises(RuntimeError, match="grid"):
        add(x, y, out, 1000, 128)
    with pytest.raises((KeyError, TypeError), match="colour"):
        add[(1, )](x, y, out, 1000, BLOCK=128, colour=3)
    with pytest.raises(TypeError):
        add[(1, )](x, y)
    with pytest.raises(TypeError):
        add[(1, )](x.astype(complex), y, out, 1000, BLOCK=128)
    scope = {}
    exec("def kernel(x):\n    pass", scope)
    with pytest.raises(ValueError, match="source"):
        triton.jit(scope["kernel"])


def test_error_in_a_kernel():

    @triton.jit
    def broken(x):
        tl.store(x, undefined_name)  # noqa: F821

    with pytest.raises(triton.CompilationError, match="undefined_name") as caught:
        broken[(1, )](np.zeros(1))
    assert isinstance(caught.value.__cause__, NameError) and "^" in str(caught.value)


def test_hooks(data):
    x, y, out = data
    seen = []
    enter, leave = (lambda about: seen.append(("enter", about.get()["name"]))), (lambda about: seen.append("exit"))
    triton.knobs.runtime.launch_enter_hook.add(enter)
    triton.knobs.runtime.launch_exit_hook.add(leave)
    try:
        add[(8, )](x, y, out, 1000, BLOCK=128)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(enter)
        triton.knobs.runtime.launch_exit_hook.remove(leave)
    add[(8, )](x, y, out, 1000, BLOCK=128)
    assert seen == [("enter", "add"), "exit"]


def test_load_and_launch(file, data):
    x, _, out = data
    scale = nereid.load(f"{file}:scale")
    assert list(nereid.load(file)) == ["scale"]
    nereid.launch(scale, 8, x, out, 1000, 2.0, BLOCK=128)
    np.testing.assert_array_equal(out, x * 2)
    with pytest.raises(KeyError, match="has no kernel `other`; it has scale"):
        nereid.load(f"{file}:other")
    with pytest.raises(FileNotFoundError):
        nereid.load("nowhere.py:scale")


def test_compile_bench_and_tune(file, data):
    x, _, out = data
    scale = nereid.load(f"{file}:scale")
    compiled = nereid.compile(scale, {"x": "*fp32", "out": "*fp32", "n": "i32", "factor": "fp32"}, {"BLOCK": 64})
    assert compiled.asm["ttir"] and compiled.name == "scale"
    assert nereid.bench(scale, (8, ), x, out, 1000, 2.0, BLOCK=128) > 0
    best, times = nereid.tune(scale, [{"BLOCK": 256}, triton.Config({"BLOCK": 512})], lambda meta: (4, ), x, out, 1000, 2.0)
    assert best in times and len(times) == 2

"""`nereid.check`: the sanitizer in the process, on the memory of the arguments."""
import linecache

import nereid
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * factor, mask=mask)


@pytest.fixture
def data():
    return np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)


def test_nothing_is_found_and_the_kernel_runs(data):
    x, out = data
    assert nereid.check(scale, 8, x, out, 1000, 2.0, BLOCK=128) == ""
    np.testing.assert_array_equal(out, x * 2)
    assert nereid.check(scale, lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]), ), x, out, n=1000, factor=3.0, BLOCK=256) == ""
    np.testing.assert_array_equal(out, x * 3)


def test_accesses_outside_are_found_and_not_made(data):
    x, out = data
    wide = np.zeros(1010, np.float32)
    found = nereid.check(scale, 8, x, wide[:1000], 1010, 2.0, BLOCK=128)
    line = scale.fn.__code__.co_firstlineno + 4
    assert f"{__file__}:{line}:" in found and "out-of-bounds" in found and "`x`" in found
    assert not wide[1000:].any()


def test_views_have_their_own_bounds():
    matrix = np.arange(64, dtype=np.float32).reshape(8, 8)
    out = np.zeros(64, np.float32)
    assert nereid.check(scale, 1, matrix[2:4], out, 16, 1.0, BLOCK=16) == ""
    assert "out-of-bounds" in nereid.check(scale, 1, matrix[2:4], out, 17, 1.0, BLOCK=32)


def test_a_notebook_cell(data):
    text = """
import triton, triton.language as tl
@triton.jit
def cell(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i), mask=i < n)
"""
    name = "<cell 7>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    x, out = data
    assert nereid.check(names["cell"], (1, ), x, out, 512, BLOCK=512) == ""
    assert f"{name}:6:" in nereid.check(names["cell"], (1, ), x, out, 1000, BLOCK=1024)


@triton.jit
def race(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), tl.program_id(0))


@triton.jit
def asserts(x):
    tl.device_assert(tl.load(x) > 0, "not positive")


@triton.jit
def undefined(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n))


def test_other_findings():
    x = np.zeros(16, np.int32)
    assert "race" in nereid.check(race, 2, x, BLOCK=16)
    assert "not positive" in nereid.check(asserts, 1, np.zeros_like(x))
    assert "undefined" in nereid.check(undefined, 1, x, np.zeros_like(x), 8, BLOCK=16)


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, BLOCK, mask=None if EVEN else i < n)


def test_tuned_kernels():
    x = np.zeros(256, np.int32)
    assert nereid.check(tuned, lambda meta: (256 // meta["BLOCK"], ), x, 256) == "" and (x == 64).all()
    assert "out-of-bounds" in nereid.check(tuned, 1, x[:32], 64)
    assert nereid.check(tuned, 2, x, 256, BLOCK=128) == "" and (x == 128).all()


@triton.jit
def copy(source, out):
    out.store([0, 0], source.load([8, 0]))


def test_descriptors():
    source, out = (np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((8, 16), np.float32))
    blocks = [TensorDescriptor(array, array.shape, [16, 1], [8, 16]) for array in (source, out)]
    assert nereid.check(copy, 1, *blocks) == ""
    np.testing.assert_array_equal(out, source[8:])


def test_wrong_use(data):
    x, out = data
    out.flags.writeable = False
    with pytest.raises(ValueError, match="`out` is read-only"):
        nereid.check(scale, 8, x, out, 1000, 2.0, BLOCK=128)
    assert nereid.check(scale, 8, out, x, 1000, 2.0, BLOCK=128) == ""
    with pytest.raises(TypeError, match="missing 1 required argument: 'factor'"):
        nereid.check(scale, 8, x, out, 1000, BLOCK=128)
    with pytest.raises(TypeError, match="takes a kernel"):
        nereid.check(max, 8, x)
    with pytest.raises(triton.CompilationError):
        nereid.check(scale, 8, x, out, 1000, 1.0, BLOCK=100)

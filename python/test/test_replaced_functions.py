"""Functions that other code made or changed: a text and a signature of their own, names and attributes set from outside."""
import inspect
import sys
import types

import numpy as np

import triton
import triton.language as tl

TEXT = '''
def scaled(x, out, n, factor=3, shift=None, BLOCK: tl.constexpr = 16, *, sign: tl.constexpr = -1):
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n, other=0.0) * factor * sign
    if shift is not None:
        value += tl.load(shift)
    tl.store(out + offsets, value, mask=offsets < n)
'''


def made(text, **names):
    """A jit function as libraries build them: an empty function gets a signature, and its text is replaced."""

    def empty():
        pass

    names = {**globals(), **names}
    function = types.FunctionType(empty.__code__, names)
    function.__module__ = __name__
    defined = {}
    exec(text, names, defined)
    (template, ) = defined.values()
    function.__signature__ = inspect.signature(template)
    function.__name__ = template.__name__
    kernel = triton.JITFunction(function)
    kernel._unsafe_update_src(text.strip("\n"))
    return kernel


def test_defaults_of_a_signature():
    kernel = made(TEXT)
    assert kernel.arg_names == ["x", "out", "n", "factor", "shift", "BLOCK", "sign"]
    assert kernel.constexprs == [5, 6]
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    kernel[(1, )](x, out, 16)
    np.testing.assert_array_equal(out, x * -3)
    kernel[(1, )](x, out, 16, 2, np.ones(1, np.float32), sign=1)
    np.testing.assert_array_equal(out, x * 2 + 1)


def test_defaults_of_a_function_that_is_called():
    callee = made("def plus(a, b=5, c: tl.constexpr = 7):\n    return a + b + c\n")
    kernel = made("def calls(out):\n    tl.store(out, plus(1))\n    tl.store(out + 1, plus(1, c=0))\n", plus=callee)
    out = np.zeros(2, np.int32)
    kernel[(1, )](out)
    assert out.tolist() == [13, 6]


@triton.jit
def ignored(x, BLOCK: tl.constexpr):
    pass


def test_names_can_be_set():
    tuned = triton.autotune([triton.Config({"BLOCK": 16})], key=[])(ignored)
    guessed = triton.heuristics({"BLOCK": lambda args: 16})(ignored)
    for each in (tuned, guessed):
        assert each.__name__ == "ignored"
        each.__name__ = "other"
        assert each.__name__ == "other"


def test_what_triton_keeps_in_attributes_can_be_set():

    @triton.jit
    def mine(x, BLOCK: tl.constexpr):
        pass

    names, params = mine.arg_names, mine.params
    assert mine.arg_names is names and mine.params is params
    mine.arg_names = ["y", "BLOCK"]
    mine.params = params[:1]
    mine.constexprs = []
    mine.signature = None
    assert (mine.arg_names, mine.params, mine.constexprs, mine.signature) == (["y", "BLOCK"], params[:1], [], None)
    tuned = triton.autotune([triton.Config({"BLOCK": 16})], key=[])(mine)
    tuned.do_bench = "mine"
    assert tuned.do_bench == "mine"


class View:
    """A part of an array that shows no more than its address and dtype."""

    def __init__(self, base, start):
        self._base, self._start, self.dtype = base, start, base.dtype

    def data_ptr(self):
        return self._base.ctypes.data + self._start * self._base.itemsize


@triton.jit
def shifted(x, out, n):
    for i in range(n):
        tl.store(out + i, tl.load(x + i) + 1)


def test_tensor_that_is_only_an_address():
    x = np.arange(8, dtype=np.int32)
    shifted[(1, )](View(x, 2), View(x, 3), 4)  # each reads what the last wrote
    assert x.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    x[3:] = 0
    shifted[(1, )](View(x, 2), View(x, 3), 4)
    assert x.tolist() == [0, 1, 2, 3, 4, 5, 6, 0]


@triton.jit
def blocks(x, BLOCK: tl.constexpr, out, SHIFT: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets) + SHIFT)


def test_compiled_code_takes_all_arguments_or_those_of_run_time():
    x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    compiled = blocks[(1, )](x, 8, out, 3)
    for arguments in ((x + 1, 8, out, 3), (x + 1, out)):
        out[:] = 0
        compiled[(1, 1, 1)](*arguments)
        np.testing.assert_array_equal(out, x + 4)


@tl.constexpr
def wider(dtype):
    return tl.int64 if dtype.is_int() and dtype.primitive_bitwidth < 64 else dtype


@triton.jit
def widened(x, out):
    kind: tl.constexpr = wider(x.type.element_ty)
    tl.store(out, tl.load(x).to(kind) << 40)


def test_function_in_a_constexpr():
    x, out = np.ones(1, np.int32), np.zeros(1, np.int64)
    widened[(1, )](x, out)
    assert out[0] == 1 << 40


@triton.jit
def asks_a_module(out):
    limit: tl.constexpr = np.iinfo(np.int16).max
    tl.store(out, limit)
    tl.store(out + 1, sys.getrecursionlimit())


def test_function_of_a_module_with_constants():
    out = np.zeros(2, np.float32)
    asks_a_module[(1, )](out)
    assert out.tolist() == [32767, sys.getrecursionlimit()]


def test_many_parameters():
    names = [f"p{i}" for i in range(129)]
    kernel = made(f"def many({', '.join(names)}, out):\n    tl.store(out, {' + '.join(names)})\n")
    out = np.zeros(1, np.int32)
    kernel[(1, )](*range(129), out)
    assert out[0] == sum(range(129))


@triton.jit
def add_one(x):
    offsets = tl.arange(0, 16)
    tl.store(x + offsets, tl.load(x + offsets) + 1)


def test_a_replaced_run_is_called():
    """Tools that watch launches replace the method of the class, of a subclass, or of one kernel."""
    from unittest import mock

    x = np.zeros(16, np.float32)
    seen = []
    run = triton.runtime.jit.JITFunction.run

    def watched(self, *args, **kwargs):
        seen.append(self.__name__)
        return run(self, *args, **kwargs)

    add_one[(1, )](x)
    with mock.patch.object(triton.runtime.jit.JITFunction, "run", watched):
        add_one[(1, )](x)
    add_one[(1, )](x)
    assert seen == ["add_one"] and x[0] == 3

    class Watched(triton.runtime.jit.JITFunction):
        run = watched

    Watched(add_one.fn)[(1, )](x)
    assert len(seen) == 2 and x[0] == 4
    single = triton.jit(add_one.fn)
    single.run = lambda *args, **kwargs: watched(single, *args, **kwargs)
    single[(1, )](x)
    add_one[(1, )](x)
    assert len(seen) == 3 and x[0] == 6

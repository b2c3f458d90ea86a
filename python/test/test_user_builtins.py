"""Functions that a program makes builtins of the language: called with constants they run, with values of run time their text is compiled."""
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language import core


@core.builtin
def half_of(n, _semantic=None):
    assert isinstance(n, tl.constexpr) and _semantic is not None
    return tl.constexpr(n.value // 2)


def marked_by_hand(n, *, _builder=None):
    return tl.constexpr(sum(range(n.value)))


marked_by_hand.__triton_builtin__ = True


@core.builtin
def number_unless_none(mask, number, _semantic=None):
    return tl.constexpr(None) if isinstance(mask, tl.constexpr) and mask.value is None else number


@core.extern
def twice(x, _semantic=None):
    return tl.add(x, x, _semantic=_semantic)


@core.builtin
def emits(n, _semantic=None):
    return _semantic.builder.get_int32(n.value)


@triton.jit
def kernel(out, n, N: tl.constexpr):
    tl.store(out, half_of(N))
    tl.store(out + 1, marked_by_hand(N))
    nothing: tl.constexpr = None
    tl.store(out + 2, twice(n) + tl.load(out + 7, nothing, other=number_unless_none(nothing, 5)) + number_unless_none(N, 0))
    tl.store(out + 3 + tl.arange(0, half_of(N)), twice(tl.arange(0, half_of(N))))


def test_builtins_of_a_program():
    out = np.zeros(8, np.int32)
    kernel[(1, )](out, 21, N=8)
    assert out.tolist() == [4, 28, 42, 0, 2, 4, 6, 0]


def test_a_builtin_that_emits_by_itself_says_what_to_write():
    @triton.jit
    def wrong(out, N: tl.constexpr):
        tl.store(out, emits(N))

    with pytest.raises(Exception, match="write this function with `tl"):
        wrong[(1, )](np.zeros(1, np.int32), N=8)


@core.extern
def type_named(name: core.constexpr, _semantic=None):
    if name == "s32":
        return tl.int32
    elif name == "f32":
        return tl.float32
    else:
        tl.static_assert(False, "there is no such type", _semantic=_semantic)


@core.extern
def as_type(x, name: core.constexpr, _semantic=None):
    dtype: core.constexpr = type_named(name, _semantic=_semantic)
    return tl.cast(x, dtype, _semantic=_semantic)


@triton.jit
def converts(out, x, NAME: tl.constexpr):
    tl.store(out, as_type(x, NAME) / 2)


def test_a_builtin_hands_its_semantic_on_to_one_that_runs_with_constants():
    out = np.zeros(1, np.float32)
    converts[(1, )](out, 5.75, NAME="s32")
    assert out[0] == 2.5
    converts[(1, )](out, 5.75, NAME="f32")
    assert out[0] == 2.875
    with pytest.raises(Exception, match="there is no such type"):
        converts[(1, )](out, 5.75, NAME="u16")


@core.extern
def filled(number: core.constexpr, count: core.constexpr = 4, _semantic=None):
    if number.value < 0:
        return twice(filled(-number, count, _semantic=_semantic), _semantic=_semantic)
    return tl.full([count], number, tl.float32, _semantic=_semantic)


def test_a_builtin_with_constants_alone_that_calls_the_language():
    @triton.jit
    def fill(out):
        i = tl.arange(0, 4)
        tl.store(out + i, filled(1.5))
        tl.store(out + 4 + i, filled(-1.5))

    out = np.zeros(8, np.float32)
    fill[(1, )](out)
    assert out.tolist() == [1.5] * 4 + [3.0] * 4

"""Integers that have no room in the type of their parameter, or in 64 bits, are refused, in the first call and in later ones."""
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def flagged(out, flag: tl.int1):
    tl.store(out, flag)


def test_numbers_for_a_flag():
    """An odd number is true by Python's rule and by its lowest bit, which Triton passes on; of 2 they say different things."""
    out = np.zeros(1, np.int32)
    for number, expected in ((3, 1), (True, 1), (0, 0), (-1, 1), (1, 1), (3, 1)):
        flagged[(1, )](out, number)
        assert out[0] == expected
    with pytest.raises(ValueError, match="2 does not fit its annotated type int1"):
        flagged[(1, )](out, 2)


@triton.jit
def small(out, a: tl.int8, b: tl.uint16):
    tl.store(out, a)
    tl.store(out + 1, b)


def test_later_calls_check_the_range():
    out = np.zeros(2, np.int32)
    for a, b in ((3, 4), (-128, 0), (127, 65535), (16, 32)):
        small[(1, )](out, a, b)
        assert out.tolist() == [a, b]
    for a, b in ((128, 0), (-129, 0), (300, 0), (0, -1), (0, 65536), (0, 2**70)):
        with pytest.raises(ValueError, match="does not fit its annotated type"):
            small[(1, )](out, a, b)


@triton.jit
def wide(out, a: tl.uint64, b: tl.int64):
    tl.store(out, a.to(tl.int64, bitcast=True))
    tl.store(out + 1, b)


def test_64_bits():
    out = np.zeros(2, np.int64)
    for a, b in ((1, 1), (2**64 - 1, -2**63), (2**63, 2**63 - 1)):
        wide[(1, )](out, a, b)
        assert out.tolist() == [a - (2**64 if a >= 2**63 else 0), b]
    for a, b in ((-1, 0), (2**64, 0), (0, 2**63)):
        with pytest.raises(ValueError, match="does not fit"):
            wide[(1, )](out, a, b)


@triton.jit
def plain(out, n):
    tl.store(out, n.to(tl.int64, bitcast=True))


def test_numbers_beyond_64_bits_without_an_annotation():
    out = np.zeros(1, np.int64)
    for n in (2**63 + 7, 2**64 - 1, 2**63):
        plain[(1, )](out, n)
        assert out[0] == n - 2**64
    for n in (2**64 + 2**63 + 7, -2**64 - 1, -2**63 - 1, 2**65, 2**64):
        with pytest.raises(OverflowError, match="does not fit 64 bits"):
            plain[(1, )](out, n)


@triton.jit
def mixed(out, a, b, c):
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c.to(tl.int64))


def test_kernels_that_were_compiled_by_hand():
    signature = {"out": "*i64", "a": "i32", "b": "i8", "c": "u32"}
    kernel = triton.compile(triton.compiler.ASTSource(mixed, signature), target=GPUTarget("cpu", "", 32))
    out = np.zeros(3, np.int64)
    for a, b, c in ((5, 3, 7), (-2**31, -128, 2**32 - 1), (2**31 - 1, 127, 0), (np.int64(9), np.int8(-9), 1)):
        kernel[(1, 1, 1)](out, a, b, c)
        assert out.tolist() == [a, b, c]
    for a, b, c, name in ((2**31, 0, 0, "i32"), (-2**31 - 1, 0, 0, "i32"), (2**40, 0, 0, "i32"), (0, 128, 0, "i8"), (0, 0, 2**32, "u32"), (np.int64(2**40), 0, 0, "i32"), (2**70, 0, 0, "i32")):
        with pytest.raises(OverflowError, match=f"does not fit {name}"):
            kernel[(1, 1, 1)](out, a, b, c)

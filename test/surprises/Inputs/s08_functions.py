"""Surprise 8: functions, iterators and tuples are values."""
from typing import NamedTuple

import triton
import triton.language as tl


@triton.jit
def double(x):
    return x * 2


@triton.jit
def square(x):
    return x * x


@triton.jit
def apply(function: tl.constexpr, x):
    return function(x)


@triton.jit
def activated(x, y, F: tl.constexpr, n: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    if F is not None:
        v = apply(F, v)
    for k in (tl.static_range if n <= 4 else range)(n):
        v += k
    tl.store(y + i, v)


@triton.jit
def total_of(*args):
    total = args[0]
    for k in tl.static_range(1, len(args)):
        total += args[k]
    return total


@triton.jit
def many_arguments(x, y):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    rest = (v * 2, v * 3)
    tl.store(y + i, total_of(v, *rest))


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@triton.jit
def swap(pair):
    return Pair(pair.second, pair.first)


@triton.jit
def named_tuples(x, y):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    pair = swap(Pair(v, v * 10))
    tl.store(y + i, pair.first - pair.second)


@triton.jit
def larger_with_index(a, i, b, j):
    keep = a > b or (a == b and i < j)
    return tl.where(keep, a, b), tl.where(keep, i, j)


@triton.jit
def largest(x, y):
    i = tl.arange(0, 32)
    value, place = tl.reduce((tl.load(x + i), i), 0, larger_with_index)
    tl.store(y, value)
    tl.store(y + 1, place.to(tl.float32))


@triton.jit
def tuple_arguments(inputs, y, scales):
    i = tl.arange(0, 32)
    total = tl.zeros([32], dtype=tl.float32)
    for k in tl.static_range(len(inputs)):
        total += tl.load(inputs[k] + i) * scales[k]
    tl.store(y + i, total)

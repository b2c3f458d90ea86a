"""Aggregates without an `__init__`: fields in order, inherited ones first, with what they have where nothing is given; in Python and in kernels."""
from typing import NamedTuple

import numpy as np
import pytest
import triton
import triton.language as tl


@triton.aggregate
class Base:
    data: tl.tensor
    BLOCK: tl.constexpr

    @triton.jit
    def doubled(self):
        return self.data + self.data


@triton.aggregate
class Scaled(Base):
    bias: "tl.tensor"
    factor: tl.constexpr = 3

    @triton.jit
    def result(self):
        return self.doubled() * self.factor + self.bias


@triton.jit
def kernel(out):
    i = tl.arange(0, 8)
    first = Scaled(i, 8, bias=i + 100)
    second = tl.aggregate_replace(first, bias=first.data * 10)
    tl.store(out + i, first.result())
    tl.store(out + 8 + i, second.result() + second.BLOCK)
    tl.store(out + 16 + i, Scaled(i, 4, i, factor=5).result())


@pytest.mark.parametrize("device", ("cpu", "interp"))
def test_in_a_kernel(device, monkeypatch):
    monkeypatch.setenv("NEREID_DEVICE", device)
    out, i = np.zeros(24, np.int32), np.arange(8)
    kernel[(1, )](out)
    assert out.tolist() == [*(6 * i + i + 100), *(6 * i + 10 * i + 8), *(10 * i + i)]


class Shape(NamedTuple):
    x: tl.constexpr
    y: tl.constexpr


@triton.aggregate
class Place:
    shape: tl.tuple
    strides: tl.tuple
    n: "tl.constexpr" = 42


@triton.aggregate
class Farther(Place):
    m: tl.constexpr

    @triton.constexpr_function
    def both(self):
        return self.n + self.m


def test_in_python():
    place = Farther(Shape(3, tl.constexpr(7)), (7, tl.constexpr(1)), m=2)
    assert place.shape.x.value == 3 and place.shape[1].value == 7 and place.strides[0].value == 7
    assert place.n.value == 42 and place.both().value == 44
    changed = tl.aggregate_replace(place, n=1)
    assert changed.both().value == 3 and place.n.value == 42 and changed.strides is place.strides


@pytest.mark.parametrize("call, what", [
    (lambda: Farther((1, ), (2, )), "missing required argument: 'm'"),
    (lambda: Farther((1, ), (2, ), 3, 4, 5), "takes 5 positional arguments but 6 were given"),
    (lambda: Farther((1, ), (2, ), 3, n=4), "multiple values for argument 'n'"),
    (lambda: Farther((1, ), (2, ), 3, 4, size=1), "unexpected keyword argument 'size'"),
    (lambda: tl.aggregate_replace(Place((1, ), (2, )), z=1), "has no field 'z'"),
    (lambda: tl.aggregate_replace(42, z=1), "expects an aggregate instance"),
])
def test_calls_that_do_not_fit(call, what):
    with pytest.raises(TypeError, match=what):
        call()


def test_other_classes_are_no_bases():

    class Plain:
        pass

    with pytest.raises(TypeError, match="can only inherit from other aggregates"):

        @triton.aggregate
        class Child(Plain):
            x: tl.constexpr

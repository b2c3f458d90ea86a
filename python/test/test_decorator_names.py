"""Aggregates whose decorators have other names than Triton's, or are functions of the program around them."""
import numpy as np
import triton
import triton.language as tl
from triton import constexpr_function as known
from triton import jit as compiled
from triton.language.core import _aggregate as values


def counted(cls):
    return values(cls)


def method(function):
    return triton.jit(function)


@values
class Tile:
    place: tl.tensor
    size: tl.constexpr

    @known
    def __init__(self, place, size):
        self.place = place
        self.size = tl.constexpr(size)

    @compiled
    def offsets(self):
        return self.place * self.size + tl.arange(0, self.size)


@counted
class View:
    start: tl.tensor
    count: tl.tensor

    def __init__(self, start, count):
        self.start = start
        self.count = count

    @method
    def get(self, tile: Tile):
        offsets = tile.offsets()
        return tl.load(self.start + offsets, mask=offsets < self.count, other=-1.0)


@triton.jit
def copy(source, out, count, SIZE: tl.constexpr):
    tile = Tile(tl.program_id(0), SIZE)
    tl.store(out + tile.offsets(), View(source, count).get(tile))


def test_decorators_under_other_names():
    out = np.zeros(16, np.float32)
    copy[(2, )](np.arange(16, dtype=np.float32), out, 10, 8)
    assert out.tolist() == [*range(10)] + [-1] * 6

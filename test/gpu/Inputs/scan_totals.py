import triton
import triton.language as tl


@triton.jit
def row(x, y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(y + lanes, tl.cumsum(tl.load(x + lanes * 3), 0))


@triton.jit
def lines(x, y, LINES: tl.constexpr, LINE: tl.constexpr):
    places = tl.arange(0, LINES)[:, None] * LINE + tl.arange(0, LINE)[None, :]
    tl.store(y + places, tl.cumsum(tl.load(x + places), 1))


@triton.jit
def down(x, y, columns, LINES: tl.constexpr, LINE: tl.constexpr):
    places = tl.arange(0, LINES)[:, None] * columns + tl.arange(0, LINE)[None, :]
    tl.store(y + places, tl.cumsum(tl.load(x + places), 0))


@triton.jit
def small_differences(x, y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    value = tl.load(x + lanes)
    tl.store(y + lanes, tl.math.log1p(value) + tl.math.expm1(value))

import triton
import triton.language as tl


# Rows of `pages` say where the rows of a tile are.
@triton.jit
def gathered(pages, x, out, R: tl.constexpr, C: tl.constexpr):
    columns = tl.arange(0, C)
    rows = tl.load(pages + tl.arange(0, R))
    tile = tl.load(x + rows[:, None] * C + columns[None, :])
    tl.store(out + tl.arange(0, R)[:, None] * C + columns[None, :], tile)


# A row that meets every row of a tile.
@triton.jit
def weighted(x, weights, out, R: tl.constexpr, C: tl.constexpr):
    columns = tl.arange(0, C)
    at = tl.arange(0, R)[:, None] * C + columns[None, :]
    tl.store(out + at, tl.load(x + at) * tl.load(weights + columns)[None, :])


# What is left of a tile meets a row of memory, and goes there.
@triton.jit
def added(x, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    place = out + tl.arange(0, R)
    tl.store(place, tl.sum(tl.load(x + at), 1) + tl.load(place))


# Products of fp16 that are summed up along a row.
@triton.jit
def summed(x, y, out, R: tl.constexpr, C: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + tl.arange(0, R), tl.sum(tl.load(x + at) * tl.load(y + at), 1))

import triton
import triton.language as tl


@triton.jit
def magnitude(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.abs(tl.load(x + i)) >= -1)


@triton.jit
def negation(x, limit, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, -tl.load(x + i) > tl.load(limit + i))

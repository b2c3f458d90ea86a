import triton
import triton.language as tl


@triton.jit
def row(x, y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    tl.store(y + lanes, tl.cumsum(tl.load(x + lanes * 3), 0))


@triton.jit
def small_differences(x, y, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    value = tl.load(x + lanes)
    tl.store(y + lanes, tl.math.log1p(value) + tl.math.expm1(value))

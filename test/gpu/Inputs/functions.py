"""Functions of math on a GPU."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def tanh(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, libdevice.tanh(tl.load(x + i)))


@triton.jit
def angle(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, libdevice.atan2(tl.load(y + i), tl.load(x + i)))


@triton.jit
def roots(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.sqrt(tl.load(x + i)) + libdevice.rsqrt(tl.load(y + i) + 1e-5))

"""Surprise 13: literals beyond 32 bits, and divisions that differ between tensors and compile-time values."""
import triton
import triton.language as tl


@triton.jit
def large_literals(y):
    tl.store(y, 2147483648)
    tl.store(y + 1, 0xFFFFFFFF)
    tl.store(y + 2, 0x7FFFFFFFFFFFFFFF)
    tl.store(y + 3, 1 << 40)
    i = tl.full([1], 1, tl.int64)
    tl.store(y + 4 + tl.arange(0, 1), i * 4294967296 + 3000000000)


@triton.jit
def unsigned_literals(x, y):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    v = (v ^ (v >> 33)) * 0xFF51AFD7ED558CCD
    tl.store(y + i, v & 0xFFFFFFFFFFFFFFFE)


@triton.jit
def divisions(x, d, y, A: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    w = tl.load(d + i)
    tl.store(y + i, v // w)
    tl.store(y + 32 + i, v % w)
    tl.store(y + 64, A // B)
    tl.store(y + 65, A % B)
    tl.store(y + 66 + i, v // 4)
    tl.store(y + 98 + i, v % 4)
    tl.store(y + 130 + i, v >> 1)

import triton
import triton.language as tl


@triton.jit
def rotate(x, out, BLOCK: tl.constexpr):
    even = tl.program_id(0) * BLOCK * 2 + tl.arange(0, BLOCK) * 2
    a, b = tl.load(x + even), tl.load(x + even + 1)
    tl.store(out + even, a - b)
    tl.store(out + even + 1, a + b)


@triton.jit
def turn(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + BLOCK - 1 - i, tl.load(x + i) + tl.load(x + BLOCK - 1 - i) * 2)


@triton.jit
def even_only(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i * 2, tl.load(x + i * 2))

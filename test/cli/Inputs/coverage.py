import triton
import triton.language as tl


@triton.jit
def fill(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 1.0, mask=i < n)


@triton.jit
def odd(out, BLOCK: tl.constexpr):
    tl.store(out + 1 + 2 * tl.arange(0, BLOCK), 1.0)


@triton.jit
def add_one(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + 1)


@triton.jit
def count(x, out, BLOCK: tl.constexpr):
    tl.atomic_add(out + tl.load(x + tl.arange(0, BLOCK)), 1)


@triton.jit
def overlapping(out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    tl.store(out + i, tl.program_id(0))

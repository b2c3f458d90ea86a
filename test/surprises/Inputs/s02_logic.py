"""Surprise 2: `and`, `or` and `not` act on every element of a tensor, with broadcasting, and in combine functions."""
import triton
import triton.language as tl


@triton.jit
def broadcast_logic(x, y, out):
    r = tl.arange(0, 8)
    c = tl.arange(0, 16)
    p = tl.load(x + r)[:, None] > 0
    q = tl.load(y + c)[None, :] > 0
    at = r[:, None] * 16 + c[None, :]
    tl.store(out + at, (p and q).to(tl.int32))
    tl.store(out + 128 + at, (p or q).to(tl.int32))
    tl.store(out + 256 + at, (not p and q).to(tl.int32))
    tl.store(out + 384 + at, (p and q or not (p or q)).to(tl.int32))


@triton.jit
def masked_logic(x, y, n, low, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n and i >= low, other=-1.0)
    tl.store(y + i, v, mask=i < n)


@triton.jit
def both(a, b):
    return a and b


@triton.jit
def either(a, b):
    return a or b


@triton.jit
def combined(x, y):
    v = tl.load(x + tl.arange(0, 32)) > 0
    tl.store(y, tl.reduce(v, 0, both).to(tl.int32))
    tl.store(y + 1, tl.reduce(v, 0, either).to(tl.int32))

"""Memory: atomic operations whose results are places, work that is taken, descriptors made in loops and of slices, quotients of indices."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def atomic_place(index, out):
    at = tl.atomic_add(index + tl.arange(0, 1), val=1, sem="relaxed")
    tl.store(out + at[:, None] * 8 + tl.arange(0, 8)[None, :], tl.full([1, 8], 2, tl.int64))


@triton.jit
def unique_tickets(count, pos, half, N: tl.constexpr):
    i = tl.arange(0, N)
    p = tl.atomic_add(count + tl.zeros([N], tl.int32), tl.full([N], 1, tl.int32), sem="relaxed")
    tl.store(pos + i, p)
    m = i % 2 == 0
    q = tl.atomic_add(count + 1 + tl.zeros([N], tl.int32), tl.full([N], 1, tl.int32), mask=m, sem="relaxed")
    tl.store(half + i, q, mask=m)


@triton.jit
def steal(counter, out, n):
    i = tl.atomic_add(counter, 1)
    while i < n:
        tl.store(out + i, i + 1)
        i = tl.atomic_add(counter, 1)


@triton.jit
def atomic_max_zero(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    tl.atomic_max(out + i[:, None] * B + tl.arange(0, 1)[None, :], tl.reshape(tl.max(v, axis=-1), (B, 1)))
    tl.atomic_min(out + 1 + i[:, None] * B + tl.arange(0, 1)[None, :], tl.reshape(tl.min(v, axis=-1), (B, 1)))


@triton.jit
def desc_copy(src, dst, n, SPLIT, XB: tl.constexpr, S: tl.constexpr):
    off = tl.program_id(0) * SPLIT
    size = min(SPLIT, n - off)
    for _ in tl.range(0, size, XB, num_stages=S):
        v = tl.make_tensor_descriptor(src, shape=[n], strides=[1], block_shape=[XB]).load([off])
        tl.make_tensor_descriptor(dst, shape=[n], strides=[1], block_shape=[XB]).store([off], v)
        off += XB


@triton.jit
def desc_slice(src, dst, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    a = tl.make_tensor_descriptor(src, shape=[M, N], strides=[stride, 1], block_shape=[BM, BN])
    o = tl.make_tensor_descriptor(dst, shape=[M, N], strides=[stride, 1], block_shape=[BM, BN])
    m = tl.program_id(0) * BM
    for n in range(0, tl.cdiv(N, BN)):
        o.store([m, n * BN], a.load([m, n * BN]))


@triton.jit
def div_index(x, out, A, B, N: tl.constexpr):
    i = tl.arange(0, N)
    q = i[None, :] * A // B
    r = i[:, None] * A % B
    tl.store(out + i[:, None] * N + i[None, :], q + r * 1000 + tl.load(x + (i * A // B))[None, :])


@triton.jit
def where_pointers(a, b, o, flag, B: tl.constexpr):
    i = tl.arange(0, B)
    f = tl.load(flag)
    p = a if f > 0 else b
    q = tl.where(i % 3 == 0, a + i, b + i)
    tl.store(o + i, tl.load(q) + tl.load(p + i))


@triton.jit
def quantized(x, o, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m, other=0.0)
    top = tl.max(tl.abs(v), 0)
    scale = top / 127.0
    q = libdevice.rint(v / scale)
    q = tl.clamp(q, -128.0, 127.0).to(tl.int8)
    tl.store(o + i, q, mask=m)
    tl.store(s + tl.program_id(0), scale)

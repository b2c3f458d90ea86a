"""Scans and reductions: in loops, broadcast, carried on, backwards, of pairs."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def scan_times(o, s, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(o + i[:, None] * B + i[None, :])
    sc = tl.load(s + i)[:, None]
    e = tl.cumsum(sc, axis=0) * v
    f = tl.dot(e, tl.cumsum(sc, axis=0) * v)
    tl.store(o + i[:, None] * B + i[None, :], f)


@triton.jit
def scan_in_loop(out, n, R: tl.constexpr):
    base = tl.arange(0, R)[None, :]
    for off in range(0, n, R):
        r = off + base
        m = r < n
        v = tl.cumsum(tl.where(m, 1, 0), 1)
        tl.store(out + r, v, m)


@triton.jit
def _logaddexp(a, b):
    lo = tl.minimum(a, b, tl.PropagateNan.ALL)
    hi = tl.maximum(a, b, tl.PropagateNan.ALL)
    keep = (lo != hi) | (libdevice.isinf(lo).to(tl.int1) == 0)
    return tl.where(keep, libdevice.log1p(libdevice.exp(lo - hi)) + hi, a)


@triton.jit
def _plus(a, b):
    return a + b


@triton.jit
def big_scan(x, out, logs, n, XB: tl.constexpr, RB: tl.constexpr):
    xi = tl.program_id(0) * XB + tl.arange(0, XB)[:, None]
    rb = tl.arange(0, RB)[None, :]
    carry = tl.full([XB, 1], float("nan"), tl.float32)
    lcarry = tl.full([XB, 1], float("nan"), tl.float32)
    for off in range(0, n, RB):
        r = off + rb
        m = r < n
        v = tl.load(x + xi * n + r, m, other=0.0)
        v = tl.broadcast_to(v, [XB, RB])
        part = tl.associative_scan(v, 1, _plus)
        lpart = tl.associative_scan(v, 1, _logaddexp)
        full = carry + part
        lfull = _logaddexp(lcarry, lpart)
        now = tl.where(off > 0, full, part)
        lnow = tl.where(off > 0, lfull, lpart)
        last = rb == RB - 1
        carry = tl.sum(tl.where(last, now, 0.0), 1, keep_dims=True)
        lcarry = tl.sum(tl.where(last, lnow, 0.0), 1, keep_dims=True)
        tl.store(out + xi * n + r, now, m)
        tl.store(logs + xi * n + r, lnow, m)


@triton.jit
def _gate(fl, xl, fr, xr):
    return fl * fr, fr * xl + xr


@triton.jit
def gated_scan(g, x, oy, R: tl.constexpr, C: tl.constexpr, REV: tl.constexpr, AX: tl.constexpr):
    i = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    _, y = tl.associative_scan((tl.load(g + i), tl.load(x + i)), AX, _gate, reverse=REV)
    tl.store(oy + i, y)


@triton.jit
def ravel_counts(x, o, A: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, A)
    j = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + j[None, :])
    r = tl.ravel(v)
    tl.store(o + tl.arange(0, A * B), tl.cumsum(r, 0))


@triton.jit
def reduce_reshape(x, o, A: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, A)
    j = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + j[None, :])
    s = tl.sum(v, 1)
    s = tl.reshape(s, (A // 4, 4))
    s = tl.reshape(s, (A, 1))
    tl.store(o + i[:, None] * B + j[None, :], v / tl.broadcast_to(s, (A, B)))


@triton.jit
def nan_winners(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(out, tl.argmax(v, 0))
    tl.store(out + 1, tl.argmin(v, 0))
    tl.store(out + 2, tl.argmax(v, 0, tie_break_left=False))
    tl.store(out + 3, tl.argmin(v, 0, tie_break_left=False))


@triton.jit
def flip_inf(x, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    y = tl.flip(v.reshape(N // 2, 2), dim=1).reshape(N)
    tl.store(x + i, y)


@triton.jit
def gathered(x, idx, o, R: tl.constexpr, C: tl.constexpr):
    r = tl.arange(0, R)[:, None]
    c = tl.arange(0, C)[None, :]
    v = tl.load(x + r * C + c)
    j = tl.load(idx + r * C + c)
    g = tl.gather(v, j, 1)
    g = tl.gather(g, tl.broadcast_to((R - 1 - r), (R, C)), 0)
    a, b = tl.split(tl.reshape(g, (R, C // 2, 2)))
    tl.store(o + r * C + c, tl.reshape(tl.join(b, a), (R, C)))
    w = tl.interleave(a, b)
    tl.store(o + R * C + r * C + c, w)

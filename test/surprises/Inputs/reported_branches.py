"""Branches on loaded numbers with stores, atomics and returns in them, before sums, products and sorts; nested loops."""
import triton
import triton.language as tl


@triton.jit
def opaque_matvec(a, x, y, flags, side, N, B: tl.constexpr):
    pid = tl.program_id(0)
    lo, hi = tl.split(tl.load(flags + tl.arange(0, 2)))
    yes = lo < hi
    no = lo > hi
    i = tl.arange(0, B)
    m = i < N
    if yes:
        tl.store(side + tl.arange(0, 2), tl.load(flags + tl.arange(0, 2)), mask=tl.program_id(0) == 0)
    if no:
        tl.store(side, lo)
        return
    if yes:
        tl.store(side + tl.arange(0, 2), tl.load(flags + tl.arange(0, 2)), mask=tl.program_id(0) == 0)
    row = tl.load(a + pid * N + i, mask=m, other=0.0)
    v = tl.load(x + i, mask=m, other=0.0)
    s = tl.sum(row * v, axis=0)
    if yes:
        tl.store(y + pid, s)


@triton.jit
def opaque_dot(a, b, c, flags, side, B: tl.constexpr):
    lo = tl.load(flags)
    hi = tl.load(flags + 1)
    yes = lo < hi
    no = lo > hi
    r = tl.arange(0, B)
    if yes:
        tl.atomic_add(side, 1, mask=tl.program_id(0) == 0)
    x = tl.load(a + r[:, None] * B + r[None, :])
    if no:
        tl.store(side, 7)
        return
    if yes:
        tl.store(side + 1 + tl.arange(0, 2), tl.load(flags + tl.arange(0, 2)), mask=tl.program_id(0) == 0)
        tl.atomic_max(side + 3 + tl.arange(0, 2), tl.load(flags + tl.arange(0, 2)))
    y = tl.load(b + r[:, None] * B + r[None, :])
    if yes:
        z = tl.dot(x, y)
    else:
        z = tl.zeros((B, B), tl.float32)
    if yes:
        tl.atomic_add(side + 5, 1)
        z = tl.dot(z.to(tl.float16), y)
        s = tl.sum(z, axis=1)
        tl.store(c + tl.program_id(0) * B + r, s)


@triton.jit
def opaque_topk(x, y, flags, side, k, B: tl.constexpr):
    lo = tl.load(flags)
    hi = tl.load(flags + 1)
    yes = lo < hi
    no = hi < lo
    pid = tl.program_id(0)
    i = tl.arange(0, B)
    if no:
        tl.assume(pid == 5)
        return
    if yes:
        tl.store(side + pid, pid)
        v = tl.sort(tl.load(x + pid * B + i), descending=True)
        if no:
            tl.store(side + pid, 3)
            tl.assume(k == 0)
        if yes:
            tl.store(y + pid * k + i, v, mask=i < k)


@triton.jit
def opaque_sum_atomic(x, y, flags, n, B: tl.constexpr):
    lo = tl.load(flags)
    hi = tl.load(flags + 1)
    i = tl.program_id(0) * B + tl.arange(0, B)
    if lo > hi:
        tl.assume(n == 0)
        tl.store(y, -1.0)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(y, tl.sum(v), sem="relaxed")


@triton.jit
def maxpool(x, y, flags, side, H, W, OW, K: tl.constexpr, B: tl.constexpr):
    lo = tl.load(flags)
    hi = tl.load(flags + 1)
    oy = tl.program_id(0)
    ox = tl.program_id(1)
    i = tl.arange(0, B)
    if lo < hi:
        tl.store(side + i, i, mask=(i < 2) & (oy + ox == 0))
    r = i // K
    c = i % K
    m = (i < K * K) & (oy + r < H) & (ox + c < W)
    v = tl.load(x + (oy + r) * W + ox + c, mask=m, other=float("-inf"))
    if hi < lo:
        tl.store(side, 0)
        return
    if lo < hi:
        tl.store(y + oy * OW + ox, tl.max(v, axis=0))


@triton.jit
def flattened(out, n):
    for i in tl.range(0, n, flatten=True):
        acc = 0
        for j in tl.range(0, 4):
            acc = acc + j
        w = 0
        while w < i:
            w += 2
        tl.store(out + i, acc * 10 + w)


@triton.jit
def negated_sum(x, out, steps, M: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    k = tl.arange(0, K)
    acc = tl.zeros((M,), tl.float32)
    for i in tl.range(0, steps):
        v = tl.load(x + i * M * K + m[:, None] * K + k[None, :])
        acc = -tl.sum(v, axis=1)
    tl.store(out + m, acc)


@triton.jit
def conditional_use(order, out, flag, N, S: tl.constexpr):
    on = tl.load(flag) != 0
    for i in tl.range(0, N, num_stages=S):
        at = tl.load(order + i + tl.arange(0, 1))
        if on:
            tl.store(out + at, i + 1)


@triton.jit
def early_returns(x, o, n, B: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, B)
    if pid >= n:
        return
    v = tl.load(x + pid * B + i)
    top = tl.max(v, 0)
    if top < 0:
        tl.store(o + pid, -1.0)
        return
    if pid % 2 == 0:
        s = tl.sum(v, 0)
        if s > 3:
            tl.store(o + pid, s)
            return
        v = v * 2
    tl.store(o + pid, tl.sum(tl.cumsum(v, 0), 0))


@triton.jit
def nested_whiles(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    pair = (0, tl.zeros([B], tl.float32))
    k = 0
    while k < n:
        j = 0
        v = tl.load(x + k * B + i)
        while j < k:
            if tl.sum(v, 0) > 0:
                acc += v * j
            else:
                v = -v + 1
            j += 1
        pair = (pair[0] + j, pair[1] + acc)
        k += 1
    tl.store(o + i, pair[1] + pair[0])

"""Small kernels whose IR the fuzzers of IR texts begin with."""
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, n):
    i = tl.arange(0, 16)
    j = tl.arange(0, 16)
    total = tl.zeros([16, 16], tl.float32)
    for k in range(0, n, 16):
        x = tl.load(a + i[:, None] * n + (k + j)[None, :])
        y = tl.load(b + (k + i)[:, None] * 16 + j[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * 16 + j[None, :], total)


@triton.jit
def described(d, out):
    i = tl.arange(0, 16)
    tl.store(out + i[:, None] * 16 + i[None, :], d.load([0, 0]))


@triton.jit
def shapes(x, y, n):
    i = tl.arange(0, 8)
    v = tl.load(x + i, mask=i < n, other=0.0)
    w = tl.join(v, v + 1).reshape(4, 4).trans(1, 0)
    first, second = tl.split(w.reshape(8, 2))
    tl.store(x + i, tl.where(first > second, first, -second))
    tl.atomic_add(y + i, i, mask=i < n)
    tl.device_assert(n > 0, "n")
    tl.device_print("n", n)


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def scans(x, y, n):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    total = tl.sum(v)
    while total < n:
        v = tl.associative_scan(v, 0, add)
        total += tl.max(v)
    where = tl.argmax(v, 0)
    tl.store(x + i, tl.sort(v))
    tl.store(y, where)
    tl.store(y + i, tl.gather(i, i ^ 1, 0) + tl.histogram(i, 8))

import triton
import triton.language as tl


@triton.jit
def paged(x, w, pages, y, n, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """Rows of `w` lie in pages; a page's number is loaded in the turn that needs it."""
    rows, columns, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, n):
        page = tl.load(pages + i)
        a = tl.load(x + rows[:, None] * 4096 + i * K + k[None, :])
        b = tl.load(w + page * K * N + k[:, None] * N + columns[None, :])
        total = tl.dot(a, b, total)
    tl.store(y + rows[:, None] * N + columns[None, :], total)


@triton.jit
def scattered(x, w, index, y, n, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """The same with a number for each row."""
    rows, columns, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, n):
        row = tl.load(index + i * K + k)
        a = tl.load(x + rows[:, None] * 4096 + i * K + k[None, :])
        b = tl.load(w + row[:, None] * N + columns[None, :])
        total = tl.dot(a, b, total)
    tl.store(y + rows[:, None] * N + columns[None, :], total)


@triton.jit
def once(x, w, y, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """No loop: both operands come straight from memory, each along its own axis."""
    rows, columns, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(x + rows[:, None] * K + k[None, :])
    b = tl.load(w + k[:, None] * N + columns[None, :])
    tl.store(y + rows[:, None] * N + columns[None, :], tl.dot(a, b))


@triton.jit
def looked_up(x, keys, values, index, y, n, limit, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr, LEAVES_OUT: tl.constexpr):
    """Two products of rows that are looked up; with `LEAVES_OUT` their numbers also say which ones count."""
    rows, columns, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    a = tl.load(x + rows[:, None] * N + columns[None, :])
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, n):
        row = tl.load(index + i * K + k)
        across = tl.load(keys + row[None, :] * N + columns[:, None])
        b = tl.load(values + row[:, None] * N + columns[None, :])
        scores = tl.dot(a, across)
        if LEAVES_OUT:
            scores = tl.where((row < limit)[None, :], scores, 0.0)
        total = tl.dot((scores * 0.125).to(tl.float16), b, total)
    tl.store(y + rows[:, None] * N + columns[None, :], total)

import triton
import triton.language as tl


@triton.jit
def kernel(a, b, weights, sums, out, K, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Rows are weighted before a product, and their squares are summed up beside it."""
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    depth = tl.arange(0, D)
    acc = tl.zeros((M, N), tl.float32)
    squares = tl.zeros((M, D), tl.float32)
    for k in range(0, K, D):
        x = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
        w = tl.load(weights + (k + depth)[None, :])
        y = tl.load(b + columns[None, :] * K + (k + depth)[:, None])
        squares += x.to(tl.float32) * x
        acc = tl.dot(x * w, y, acc)
    tl.store(sums + rows, tl.sum(squares, 1))
    tl.store(out + rows[:, None] * N + columns[None, :], acc.to(tl.float16))

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, PRECISION: tl.constexpr, DEPTH: tl.constexpr = 32):
    rows, columns, inner = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, DEPTH)
    sums = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, DEPTH):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :]).to(left.dtype)
        sums = tl.dot(left, right, sums, input_precision=PRECISION)
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@triton.jit
def largest(x, out, K: tl.constexpr):
    tl.store(out + tl.arange(0, K), tl.topk(tl.load(x + tl.arange(0, 1024)), K))


@triton.jit
def sine(x, out):
    at = tl.arange(0, 128)
    tl.store(out + at, tl.sin(tl.load(x + at)))

import triton
import triton.language as tl


@triton.jit
def commutator(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    """Both orders of a product: each operand is read along both of its axes."""
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    tl.store(out_ptr + i, tl.dot(a, b) - tl.dot(b, a))


@triton.jit
def one_after_the_other(a_ptr, b_ptr, out_ptr, n, m, SIZE: tl.constexpr):
    """Two loops of products, each from zero."""
    rows = tl.arange(0, SIZE)[:, None]
    columns = tl.arange(0, SIZE)[None, :]
    at = rows * SIZE + columns
    first = tl.zeros((SIZE, SIZE), tl.float32)
    for i in range(n):
        first = tl.dot(tl.load(a_ptr + i * SIZE * SIZE + at), tl.load(b_ptr + i * SIZE * SIZE + at), first)
    tl.store(out_ptr + at, first)
    second = tl.zeros((SIZE, SIZE), tl.float32)
    for i in range(m):
        second = tl.dot(tl.load(b_ptr + i * SIZE * SIZE + at), tl.load(a_ptr + i * SIZE * SIZE + at), second)
    tl.store(out_ptr + SIZE * SIZE + at, second)


@triton.jit
def batches(a, b, c, BATCH: tl.constexpr, SIZE: tl.constexpr):
    at, i, j = tl.arange(0, BATCH)[:, None, None], tl.arange(0, SIZE)[None, :, None], tl.arange(0, SIZE)[None, None, :]
    places = at * SIZE * SIZE + i * SIZE + j
    tl.store(c + places, tl.dot(tl.load(a + places), tl.load(b + places)))

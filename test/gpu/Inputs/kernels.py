import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@triton.jit
def matmul(a, b, c, K, stride_a, stride_b, stride_c, M: tl.constexpr, N: tl.constexpr, DEPTH: tl.constexpr):
    rows, columns, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, DEPTH)
    a_block = a + rows[:, None] * stride_a + depth[None, :]
    b_block = b + depth[:, None] * stride_b + columns[None, :]
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, K, DEPTH):
        total = tl.dot(tl.load(a_block + k), tl.load(b_block + k * stride_b), total)
    tl.store(c + rows[:, None] * stride_c + columns[None, :], total.to(tl.float16))


@triton.jit
def integer_matmul(a, b, c, K, stride_a, stride_b, stride_c, M: tl.constexpr, N: tl.constexpr, DEPTH: tl.constexpr):
    rows, columns, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, DEPTH)
    total = tl.zeros((M, N), tl.int32)
    for k in range(0, K, DEPTH):
        a_block = tl.load(a + rows[:, None] * stride_a + depth[None, :] + k)
        b_block = tl.load(b + depth[:, None] + k + columns[None, :] * stride_b)
        total = tl.dot(a_block, b_block, total, out_dtype=tl.int32)
    tl.store(c + rows[:, None] * stride_c + columns[None, :], total)


@triton.jit
def transposed_sum(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + i[None, :])
    tl.store(out + i[:, None] * N + i[None, :], tile + tl.trans(tile))


@triton.jit
def product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@triton.jit
def shift(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) + 1)
    tl.store(x + i, tl.load(x + (i + 1) % N))


@triton.jit
def half_product(a, b, c, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at), out_dtype=tl.float16))

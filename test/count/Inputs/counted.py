import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y, mask=at < n)


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    x = tl.load(x_ptr + row + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * K + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
        sum = tl.dot(a, b, sum)
    tl.store(c_ptr + m[:, None] * N + n[None, :], sum)


@triton.jit
def strided(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at * stride))


@triton.jit
def transposed(x_ptr, out_ptr, rows, columns, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    x = tl.load(x_ptr + r[:, None] * columns + c[None, :])
    tl.store(out_ptr + c[:, None] * rows + r[None, :], tl.trans(x))


@triton.jit
def bins(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.atomic_add(out_ptr + x, 1, mask=at < n)


@triton.jit
def again(x_ptr, out_ptr, times, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float64)
    for _ in range(times):
        total += tl.load(x_ptr + at)
    tl.store(out_ptr + tl.program_id(0) * BLOCK + at, total)


@triton.jit
def block(a_desc, out_ptr, BR: tl.constexpr, BC: tl.constexpr):
    x = a_desc.load([tl.program_id(0) * BR, 0])
    at = tl.program_id(0) * BR * BC + tl.arange(0, BR)[:, None] * BC + tl.arange(0, BC)[None, :]
    tl.store(out_ptr + at, x)


@triton.jit
def matmul_blocks(a_desc, b_desc, c_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM
    n = tl.program_id(1) * BN
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        sum = tl.dot(a_desc.load([m, start]), b_desc.load([start, n]), sum)
    tl.store(c_ptr + (m + tl.arange(0, BM))[:, None] * N + (n + tl.arange(0, BN))[None, :], sum)


@triton.jit
def one_by_one(out_ptr, count_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    count = tl.load(count_ptr)
    x = tl.zeros((BLOCK,), tl.float32)
    if count > 0:
        x = tl.load(out_ptr + at) + 1.5
    tl.store(out_ptr + at, x)
    tl.store(count_ptr, count + 1)


@triton.jit
def scaled(x_ptr, factor_ptr, out_ptr, BLOCK: tl.constexpr):
    factor = tl.load(factor_ptr)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) * factor)


@triton.jit
def neighbours(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for shift in tl.static_range(3):
        total += tl.load(x_ptr + at + shift)
    tl.store(out_ptr + at, total)


@triton.jit
def add_halves(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.atomic_add(out_ptr + at * stride, x)

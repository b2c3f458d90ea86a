"""language_cases.py: one timed kernel for each part of the language that Triton's tutorials do not strain, for
`bench/against_triton.py --groups language`: atomics, scans, sorts, gathers, histograms, reductions along either axis, transposes,
conversions, small and batched products, scaled products, descriptors and strided access."""
import torch
import triton
import triton.language as tl
from triton_cases import Case, random


@triton.jit
def atomic_sum(x, out, n, SEM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + i, tl.load(x + i, i < n), i < n, sem=SEM)


@triton.jit
def scattered_sum(x, places, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(places + i, i < n, 0), tl.load(x + i, i < n), i < n, sem="relaxed")


@triton.jit
def split_k(a, b, c, M, N, K, PARTS: tl.constexpr, SEM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tile, part = tl.program_id(0), tl.program_id(1)
    rows = tile // (N // BN) * BM + tl.arange(0, BM)
    columns = tile % (N // BN) * BN + tl.arange(0, BN)
    inner = part * BK + tl.arange(0, BK)
    sums = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK * PARTS):
        sums = tl.dot(tl.load(a + rows[:, None] * K + (k + inner)[None, :]), tl.load(b + (k + inner)[:, None] * N + columns[None, :]), sums)
    tl.atomic_add(c + rows[:, None] * N + columns[None, :], sums.to(c.dtype.element_ty), sem=SEM)


@triton.jit
def running_sum(x, out, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def running_sum_down(x, out, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * columns + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), 0))


@triton.jit
def multiply_add(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, out, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    _, state = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, multiply_add)
    tl.store(out + at, state)


@triton.jit
def sort_rows(x, out, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def largest(x, out, COLUMNS: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row * K + tl.arange(0, K), tl.topk(tl.load(x + row * COLUMNS + tl.arange(0, COLUMNS)), K))


@triton.jit
def gather_rows(x, places, out, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(places + at), 0))


@triton.jit
def count_bins(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    counts = tl.histogram(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), counts, sem="relaxed")


@triton.jit
def sum_rows(x, out, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    sums = tl.zeros([ROWS], tl.float32)
    for k in range(0, columns, BLOCK):
        sums += tl.sum(tl.load(x + rows[:, None] * columns + k + tl.arange(0, BLOCK)[None, :]), 1)
    tl.store(out + rows, sums)


@triton.jit
def sum_columns(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for row in range(0, rows, ROWS):
        sums += tl.sum(tl.load(x + (row + tl.arange(0, ROWS))[:, None] * columns + at[None, :]), 0)
    tl.store(out + at, sums)


@triton.jit
def place_of_largest(x, out, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.argmax(tl.load(x + row * COLUMNS + tl.arange(0, COLUMNS)), 0))


@triton.jit
def moments(x, out, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    values = tl.load(x + row * COLUMNS + tl.arange(0, COLUMNS))
    mean = tl.sum(values) / COLUMNS
    tl.store(out + row, tl.sum((values - mean) * (values - mean)) / COLUMNS)


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(tl.load(x + i[:, None] * columns + j[None, :])))


@triton.jit
def convert(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n).to(out.dtype.element_ty), i < n)


@triton.jit
def interleave(x, y, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * 2 * BLOCK + tl.arange(0, 2 * BLOCK), tl.interleave(tl.load(x + i), tl.load(y + i)))


@triton.jit
def rotate_pairs(x, angles, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * 2 * BLOCK + tl.arange(0, 2 * BLOCK)
    a, b = tl.split(tl.reshape(tl.load(x + i), [BLOCK, 2]))
    angle = tl.load(angles + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    cos, sin = tl.cos(angle), tl.sin(angle)
    tl.store(out + i, tl.reshape(tl.join(a * cos - b * sin, a * sin + b * cos), [2 * BLOCK]))


@triton.jit
def functions(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, tl.exp(tl.sin(v)) + tl.log(v * v + 1) + tl.erf(v) + tl.rsqrt(v * v + 1) + tl.sigmoid(v))


@triton.jit
def divide(x, y, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a // b + a % b)


@triton.jit
def draw(out, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.randn(seed, i))


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr):
    rows, columns, inner = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    kind = tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32
    sums = tl.zeros([BM, BN], kind)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        sums = tl.dot(left, tl.load(b + (k + inner)[:, None] * N + columns[None, :]), sums, input_precision=PRECISION, out_dtype=kind)
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(c.dtype.element_ty))


@triton.jit
def product_of_bytes(a, b, scales, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, inner = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    sums = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :]).to(tl.float16)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * N + columns[None, :], (sums * tl.load(scales + columns)[None, :]).to(tl.float16))


@triton.jit
def batched_product(a, b, c, BATCH: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    at = tl.program_id(0) * BATCH + tl.arange(0, BATCH)[:, None, None]
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + at * (M * K) + i[None, :, None] * K + k[None, None, :])
    right = tl.load(b + at * (K * N) + k[None, :, None] * N + j[None, None, :])
    tl.store(c + at * (M * N) + i[None, :, None] * N + j[None, None, :], tl.dot(left, right).to(tl.float16))


@triton.jit
def scaled_product(a, a_scales, b, b_scales, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, inner = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN), tl.arange(0, BK)
    groups = tl.arange(0, BK // 32)
    sums = tl.zeros([BM, BN], tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        left_scales = tl.load(a_scales + rows[:, None] * (K // 32) + (k // 32 + groups)[None, :])
        right_scales = tl.load(b_scales + columns[:, None] * (K // 32) + (k // 32 + groups)[None, :])
        sums = tl.dot_scaled(left, left_scales, "e4m3", right, right_scales, "e4m3", sums)
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


@triton.jit
def described_copy(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [ROWS, BLOCK])
    target = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [ROWS, BLOCK])
    at = [tl.program_id(0) * ROWS, tl.program_id(1) * BLOCK]
    target.store(at, source.load(at))


@triton.jit
def pointed_copy(x, out, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    at = (tl.program_id(0) * ROWS, tl.program_id(1) * BLOCK)
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), at, (ROWS, BLOCK), (1, 0))
    target = tl.make_block_ptr(out, (rows, columns), (columns, 1), at, (ROWS, BLOCK), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))


@triton.jit
def take_rows(x, places, out, columns, BLOCK: tl.constexpr):
    source = tl.load(places + tl.program_id(0))
    for k in range(0, columns, BLOCK):
        at = k + tl.arange(0, BLOCK)
        tl.store(out + tl.program_id(0) * columns + at, tl.load(x + source * columns + at, at < columns), at < columns)


def filled(launch, *shape, dtype=torch.float32):
    """A call that launches into one tensor and gives it."""
    out = torch.zeros(shape, dtype=dtype, device="cuda")

    def call():
        launch(out)
        return out

    return call


def cleared(launch, *shape, dtype=torch.float32):
    """The same for kernels that add to it."""
    return filled(lambda out: launch(out.zero_()), *shape, dtype=dtype)


def atomic_cases():
    n = 1 << 24
    for dtype, name in ((torch.float32, "f32"), (torch.float16, "f16"), (torch.bfloat16, "bf16"), (torch.int32, "i32")):
        x = torch.randint(0, 9, (n, ), device="cuda").to(dtype)
        for sem in ("relaxed", "acq_rel"):
            launch = lambda out, x=x, sem=sem: atomic_sum[(n // 1024, )](x, out, n, sem, 1024)
            yield Case(f"atomic add {name} 2^24, {sem}", cleared(launch, n, dtype=dtype), lambda x=x: x, 0, bytes=3 * x.nbytes)
    x, places = random(n), torch.randint(0, 1 << 16, (n, ), device="cuda", dtype=torch.int32)
    launch = lambda out: scattered_sum[(n // 1024, )](x, places, out, n, 1024)
    right = lambda: torch.zeros(1 << 16, device="cuda").index_add_(0, places, x)
    yield Case("atomic add f32 2^24 to 2^16 places", cleared(launch, 1 << 16), right, 1e-3, bytes=8 * n)
    size, inner = 512, 8192
    a, b = random(size, inner, dtype=torch.float16), random(inner, size, dtype=torch.float16)
    for dtype, name in ((torch.float32, "f32"), (torch.float16, "f16")):
        for sem in ("relaxed", "acq_rel"):
            launch = lambda out, sem=sem: split_k[(16, 8)](a, b, out, size, size, inner, 8, sem, 128, 128, 64, num_warps=8)
            yield Case(f"split-K product into {name}, {sem}", cleared(launch, size, size, dtype=dtype), lambda: a @ b, 2e-2,
                       flops=2 * size * size * inner)


def order_cases():
    rows = 1 << 13
    for columns in (128, 1024, 4096):
        x = random(rows, columns)
        launch = lambda out, x=x, columns=columns: running_sum[(rows, )](x, out, columns)
        yield Case(f"cumsum f32 {rows}x{columns}", filled(launch, rows, columns), lambda x=x: x.cumsum(1), 1e-4, bytes=2 * x.nbytes)
    x = random(256, 1 << 15)
    yield Case("cumsum down f32 256x32768", filled(lambda out: running_sum_down[(1024, )](x, out, 1 << 15, 256, 32), 256, 1 << 15),
               lambda: x.cumsum(0), 1e-4, bytes=2 * x.nbytes)
    a, b = torch.rand(rows, 1024, device="cuda"), random(rows, 1024)
    yield Case("linear recurrence f32 8192x1024", filled(lambda out: recurrence[(rows, )](a, b, out, 1024), rows, 1024), bytes=3 * a.nbytes)
    for columns in (128, 1024):
        x = random(rows, columns)
        launch = lambda out, x=x, columns=columns: sort_rows[(rows, )](x, out, columns)
        yield Case(f"sort f32 {rows}x{columns}", filled(launch, rows, columns), lambda x=x: x.sort(1).values, 0, bytes=2 * x.nbytes)
    z = random(rows, 1024)
    yield Case("topk 8 f32 8192x1024", filled(lambda out: largest[(rows, )](z, out, 1024, 8), rows, 8), lambda: z.topk(8, 1).values, 0,
               bytes=z.nbytes)
    places = torch.randint(0, 1024, (rows, 1024), device="cuda", dtype=torch.int32)
    yield Case("gather f32 8192x1024", filled(lambda out: gather_rows[(rows, )](z, places, out, 1024), rows, 1024),
               lambda: z.gather(1, places.long()), 0, bytes=3 * z.nbytes)
    numbers = torch.randint(0, 256, (1 << 24, ), device="cuda", dtype=torch.int32)
    yield Case("histogram 256 of 2^24", cleared(lambda out: count_bins[(1 << 12, )](numbers, out, 1 << 12, 256), 256, dtype=torch.int32),
               lambda: torch.bincount(numbers, minlength=256), 0, bytes=numbers.nbytes)


def reduction_cases():
    x = random(1 << 13, 1 << 13)
    yield Case("sum of rows f32 8192x8192", filled(lambda out: sum_rows[(1 << 10, )](x, out, 1 << 13, 8, 512), 1 << 13), lambda: x.sum(1), 1e-4,
               bytes=x.nbytes)
    yield Case("sum of columns f32 8192x8192", filled(lambda out: sum_columns[(256, )](x, out, 1 << 13, 1 << 13, 32, 32), 1 << 13),
               lambda: x.sum(0), 1e-4, bytes=x.nbytes)
    y = random(1 << 14, 4096)
    yield Case("argmax f32 16384x4096", filled(lambda out: place_of_largest[(1 << 14, )](y, out, 4096), 1 << 14, dtype=torch.int32),
               lambda: y.argmax(1), 0, bytes=y.nbytes)
    yield Case("variance f32 16384x4096", filled(lambda out: moments[(1 << 14, )](y, out, 4096), 1 << 14),
               lambda: y.var(1, correction=0), 1e-4, bytes=y.nbytes)


def shape_cases():
    for dtype, name in ((torch.float32, "f32"), (torch.float16, "f16")):
        x = random(1 << 13, 1 << 13, dtype=dtype)
        launch = lambda out, x=x: transpose[(128, 128)](x, out, 1 << 13, 1 << 13, 64)
        yield Case(f"transpose {name} 8192x8192", filled(launch, 1 << 13, 1 << 13, dtype=dtype), lambda x=x: x.t(), 0, bytes=2 * x.nbytes)
    n = 1 << 25
    x, y = random(n), random(n)
    for dtype, name in ((torch.float16, "f16"), (torch.float8_e4m3fn, "e4m3"), (torch.float8_e5m2, "e5m2"), (torch.int8, "i8")):
        launch = lambda out, dtype=dtype: convert[(n // 1024, )](x, out, n, 1024)
        yield Case(f"f32 to {name} 2^25", filled(launch, n, dtype=dtype), bytes=x.nbytes + n * dtype.itemsize)
    bytes8 = x.to(torch.float8_e4m3fn)
    yield Case("e4m3 to f16 2^25", filled(lambda out: convert[(n // 1024, )](bytes8, out, n, 1024), n, dtype=torch.float16),
               lambda: bytes8.to(torch.float16), 0, bytes=3 * n)
    yield Case("interleave f32 2^25", filled(lambda out: interleave[(n // 1024, )](x, y, out, 1024), 2 * n),
               lambda: torch.stack((x, y), 1).reshape(-1), 0, bytes=4 * x.nbytes)
    yield Case("rotate pairs f32 2^25", filled(lambda out: rotate_pairs[(n // 2048, )](x, y, out, 1024), n), bytes=10 * n)
    yield Case("functions f32 2^25", filled(lambda out: functions[(n // 1024, )](x, out, 1024), n),
               lambda: torch.exp(torch.sin(x)) + torch.log(x * x + 1) + torch.erf(x) + torch.rsqrt(x * x + 1) + torch.sigmoid(x), 1e-5, bytes=8 * n)
    a, b = (torch.randint(1, 1 << 20, (n, ), device="cuda", dtype=torch.int32) for _ in range(2))
    yield Case("quotient and rest i32 2^25", filled(lambda out: divide[(n // 1024, )](a, b, out, 1024), n, dtype=torch.int32),
               lambda: a // b + a % b, 0, bytes=12 * n)
    yield Case("randn f32 2^25", filled(lambda out: draw[(n // 1024, )](out, 7, 1024), n), bytes=4 * n)


def product_cases():
    size = 2048
    cells = (("f16, 32x32x64, 4 warps", torch.float16, 32, 32, 64, 4, None), ("f16, 16x64x64, 2 warps", torch.float16, 16, 64, 64, 2, None),
             ("f16, 64x128x64, 4 warps", torch.float16, 64, 128, 64, 4, None), ("bf16, 128x128x64, 8 warps", torch.bfloat16, 128, 128, 64, 8, None),
             ("tf32, 64x64x32, 4 warps", torch.float32, 64, 64, 32, 4, "tf32"), ("tf32x3, 64x64x32, 4 warps", torch.float32, 64, 64, 32, 4, "tf32x3"),
             ("ieee, 64x64x32, 4 warps", torch.float32, 64, 64, 32, 4, "ieee"), ("i8, 128x128x64, 4 warps", torch.int8, 128, 128, 64, 4, None))
    for name, dtype, bm, bn, bk, warps, precision in cells:
        a, b = ((torch.randint(-9, 9, (size, size), device="cuda").to(dtype) if dtype == torch.int8 else random(size, size, dtype=dtype))
                for _ in range(2))
        kind = torch.int32 if dtype == torch.int8 else torch.float32
        launch = lambda out, a=a, b=b, bm=bm, bn=bn, bk=bk, warps=warps, precision=precision: product[(size // bm, size // bn)](
            a, b, out, size, size, size, bm, bn, bk, precision, num_warps=warps)
        yield Case(f"product {name}", filled(launch, size, size, dtype=kind), lambda a=a, b=b: (a.double() @ b.double()), 1e-2, flops=2 * size**3)
    a, b = random(size, size, dtype=torch.float16), torch.randint(-128, 127, (size, size), device="cuda", dtype=torch.int8)
    scales = torch.rand(size, device="cuda") / 99
    launch = lambda out: product_of_bytes[(size // 128, size // 128)](a, b, scales, out, size, size, size, 128, 128, 64, num_warps=8)
    yield Case("product f16 by i8, 128x128x64", filled(launch, size, size, dtype=torch.float16), lambda: a @ b.half() * scales, 2e-2, flops=2 * size**3)
    c, d = random(4096, 32, 64, dtype=torch.float16), random(4096, 64, 32, dtype=torch.float16)
    yield Case("batched product f16 4096 of 32x32x64", filled(lambda out: batched_product[(1024, )](c, d, out, 4, 32, 32, 64), 4096, 32, 32, dtype=torch.float16),
               lambda: c @ d, 2e-2, flops=2 * 4096 * 32 * 32 * 64)
    p, q = (random(size, size).to(torch.float8_e4m3fn) for _ in range(2))
    s, t = (torch.randint(120, 130, (size, size // 32), device="cuda", dtype=torch.uint8) for _ in range(2))
    launch = lambda out: scaled_product[(size // 128, size // 128)](p, s, q, t, out, size, size, size, 128, 128, 64, num_warps=8)
    grown = lambda scales: torch.exp2(scales.double() - 127).repeat_interleave(32, 1)
    yield Case("scaled product e4m3, 128x128x64", filled(launch, size, size), lambda: (p.double() * grown(s)) @ (q.double() * grown(t).t()), 1e-2,
               flops=2 * size**3)


def access_cases():
    rows = columns = 1 << 13
    x = random(rows, columns, dtype=torch.float16)
    for name, kernel in (("descriptor", described_copy), ("block pointer", pointed_copy)):
        launch = lambda out, kernel=kernel: kernel[(rows // 64, columns // 128)](x, out, rows, columns, 64, 128)
        yield Case(f"copy by {name} f16 8192x8192", filled(launch, rows, columns, dtype=torch.float16), lambda: x, 0, bytes=2 * x.nbytes)
    places = torch.randperm(rows, device="cuda").int()
    yield Case("rows in another order f16 8192x8192", filled(lambda out: take_rows[(rows, )](x, places, out, columns, 2048), rows, columns, dtype=torch.float16),
               lambda: x[places.long()], 0, bytes=2 * x.nbytes)


def language_cases(_):
    triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))  # for descriptors
    for group in (atomic_cases, order_cases, reduction_cases, shape_cases, product_cases, access_cases):
        yield from group()

"""Extents, strides and addresses that a kernel loads: masks whose end is known to nobody before the launch."""
from builtin_test import Checks, make, np, random, run_kernel

checks = Checks()
rng = np.random.default_rng(41)

# A product of described tensors, as grouped products have them, whose rows are longer than their columns say.
DESCRIBED = """def kernel(a_ptr, b_ptr, c_ptr, sizes, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.load(sizes), tl.load(sizes + 1), tl.load(sizes + 2)
    a = tl.make_tensor_descriptor(a_ptr, [m, k], [tl.load(sizes + 3), 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [n, k], [tl.load(sizes + 3), 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [m, n], [tl.load(sizes + 4), 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros([BM, BN], tl.float32)
    for at in range(0, k, BK):
        total = tl.dot(a.load([row, at]), b.load([column, at]).T, total)
    c.store([row, column], total.to(c.dtype))
"""
# The same by pointers and masks.
POINTED = """def kernel(a_ptr, b_ptr, c_ptr, sizes, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.load(sizes), tl.load(sizes + 1), tl.load(sizes + 2)
    row, column = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    wide, stride = tl.multiple_of(tl.load(sizes + 3), 16), tl.multiple_of(tl.load(sizes + 4), 16)
    total = tl.zeros([BM, BN], tl.float32)
    for at in range(0, k, BK):
        a = tl.load(a_ptr + row[:, None] * wide + at + depth[None, :], mask=(row < m)[:, None] & (k > at + depth)[None, :], other=0)
        b = tl.load(b_ptr + column[:, None] * wide + at + depth[None, :], mask=(column < n)[:, None] & (at + depth < k)[None, :], other=0)
        total = tl.dot(a, b.T, total)
    tl.store(c_ptr + row[:, None] * stride + column[None, :], total.to(c_ptr.dtype.element_ty), mask=(row < m)[:, None] & (column < n)[None, :])
"""


def test_product(text, dtype, m, n, k, tile):
    wide, stride = -(-k // 16) * 16 + 16, -(-n // 16) * 16 + 32
    a, b = random(rng, dtype, (m, wide)), random(rng, dtype, (n, wide))
    c = make(dtype, np.full((m, stride), 7))
    sizes = make("int32", np.array([m, n, k, wide, stride]))
    grid = (-(-m // tile[0]), -(-n // tile[1]))
    run_kernel(text, [a, b, c, sizes, *tile], grid=grid)
    exact = a.values[:, :k].astype(np.float64) @ b.values[:, :k].astype(np.float64).T
    what = f"{dtype} {m}x{n}x{k} in {tile}"
    size = {"fp16": 2.0**-10, "bf16": 2.0**-7}[dtype]
    checks.close(c.values[:, :n].astype(np.float64), exact, what, rtol=size, atol=size * np.abs(exact).mean())
    checks.equal(c.values[:, n:], np.full((m, stride - n), 7, c.values.dtype), f"{what}: what lies behind the rows")


for dtype in ("fp16", "bf16"):
    for m, n, k, tile in ((64, 64, 64, (64, 64, 32)), (70, 45, 99, (64, 32, 32)), (33, 130, 61, (64, 64, 64)), (1, 1, 1, (64, 64, 32)), (64, 71, 127, (64, 64, 32))):
        for name, text in (("described", DESCRIBED), ("pointed", POINTED)):
            checks.run(f"{name} {dtype} {m}x{n}x{k}", test_product, text, dtype, m, n, k, tile)


# Loads and stores of rows beside a product of other numbers, which has the threads hold eight neighbours.
def test_ends(dtype, count, first):
    x, out = random(rng, dtype, (4, 64)), make(dtype, np.full((4, 64), 3))
    text = """def kernel(x, out, ends, first):
    i, j = tl.arange(0, 4)[:, None], tl.arange(0, 64)[None, :]
    end = tl.load(ends)
    mask = (first + j < end) & (i != 2)
    tile = tl.load(x + i * 64 + j, mask=mask, other=5)
    tl.store(out + i * 64 + j, tile + tile, mask=first + j < end + 3)
"""
    run_kernel(text, [x, out, make("int32", np.array([count])), first])
    place = np.arange(64)[None, :] + first
    taken = (place < count) & (np.arange(4)[:, None] != 2)
    tile = np.where(taken, x.values, np.asarray(5, x.values.dtype))
    expected = np.where(place < count + 3, tile + tile, np.asarray(3, x.values.dtype))
    checks.equal(out.values, expected, f"ends {dtype} {count} from {first}")


for dtype in ("int8", "int16", "fp32", "int64"):
    for count, first in ((0, 0), (1, 0), (29, 0), (64, 0), (-2, 0), (40, -7), (1 << 30, 0), (61, 16)):
        checks.run(f"ends {dtype} {count}", test_ends, dtype, count, first)
checks.exit()

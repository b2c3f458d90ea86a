import triton
import triton.language as tl


@triton.jit
def product(a, b, c, STARTS_AT_ZERO: tl.constexpr):
    i = tl.arange(0, 32)
    places = i[:, None] * 32 + i[None, :]
    start = tl.zeros((32, 32), tl.int32) if STARTS_AT_ZERO else tl.load(c + places)
    tl.store(c + places, tl.dot(tl.load(a + places), tl.load(b + places), start, out_dtype=tl.int32))


@triton.jit
def rows_of_both(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, inner = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    sums = tl.zeros([BM, BN], tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32)
    for k in range(0, K, BK):
        right = tl.load(b + (k + inner)[:, None] * BN + columns[None, :])
        sums = tl.dot(tl.load(a + rows[:, None] * K + (k + inner)[None, :]), right, sums, out_dtype=sums.dtype)
    tl.store(c + rows[:, None] * BN + columns[None, :], sums)

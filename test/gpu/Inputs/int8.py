import triton
import triton.language as tl


@triton.jit
def product(a, b, c, STARTS_AT_ZERO: tl.constexpr):
    i = tl.arange(0, 32)
    places = i[:, None] * 32 + i[None, :]
    start = tl.zeros((32, 32), tl.int32) if STARTS_AT_ZERO else tl.load(c + places)
    tl.store(c + places, tl.dot(tl.load(a + places), tl.load(b + places), start, out_dtype=tl.int32))

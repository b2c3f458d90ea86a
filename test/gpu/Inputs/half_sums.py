import triton
import triton.language as tl


@triton.jit
def product(a, b, out, K):
    rows = tl.arange(0, 64)
    depth = tl.arange(0, 64)
    pa = a + rows[:, None] * K + depth[None, :]
    pb = b + depth[:, None] * 64 + rows[None, :]
    sums = tl.zeros((64, 64), tl.float16)
    for k in range(0, K, 64):
        sums = tl.dot(tl.load(pa), tl.load(pb), sums, out_dtype=tl.float16)
        pa += 64
        pb += 64 * 64
    tl.store(out + rows[:, None] * 64 + rows[None, :], sums)

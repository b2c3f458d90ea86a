import triton
import triton.language as tl


@triton.jit
def product(out):
    sums = tl.dot(tl.full([64, 16], 1.0, tl.bfloat16), tl.full([16, 16], 1.0, tl.bfloat16))
    tl.store(out + tl.arange(0, 64)[:, None] * 16 + tl.arange(0, 16)[None, :], sums)

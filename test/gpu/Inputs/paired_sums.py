import triton
import triton.language as tl


@triton.jit
def kernel(x, y, out):
    i = tl.arange(0, 64)
    divisor = (tl.broadcast_to(tl.load(x), [64]) & 7) + 1
    tl.store(out + i, tl.load(y + i) // divisor + (tl.load(y + i + 64) - 3))

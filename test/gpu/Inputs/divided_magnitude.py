import triton
import triton.language as tl


@triton.jit
def divided_magnitude(x, m, y):
    i = tl.arange(0, 64)
    tl.store(y + i, tl.abs(tl.load(x + i)) % ((tl.load(m + i) & 7) + 1))

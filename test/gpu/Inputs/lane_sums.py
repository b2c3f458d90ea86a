import triton
import triton.language as tl


@triton.jit
def squares(x, out):
    value = tl.load(x + tl.arange(0, 32))
    tl.store(out, tl.sum(value * value))

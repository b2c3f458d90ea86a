import triton
import triton.language as tl


@triton.jit
def kernel(x, y, z):
    i = tl.arange(0, 128)
    tl.store(x + i, tl.minimum(tl.minimum(tl.load(x + i), -tl.load(x + i + 128)), tl.load(x + i + 256)))
    tl.store(y + i, tl.maximum(tl.maximum(tl.load(y + i), -tl.load(y + i + 128)), tl.load(y + i + 256)))
    tl.store(z + i, -tl.load(z + i))

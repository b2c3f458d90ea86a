import triton
import triton.language as tl


@triton.jit
def multiply_add(x, y):
    offsets = tl.arange(0, 128)
    tl.store(y + offsets, tl.load(x + offsets) * 1.5 + tl.exp2(tl.load(y + offsets)))

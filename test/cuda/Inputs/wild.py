import triton
import triton.language as tl


@triton.jit
def wild(x, offset):
    tl.store(x + offset, 1.0)

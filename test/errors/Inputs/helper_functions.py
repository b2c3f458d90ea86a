import triton
import triton.language as tl


@triton.jit
def double(x):
    return x * 2


@triton.jit
def broken(x):
    return x + missing

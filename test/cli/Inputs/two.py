import triton
import triton.language as tl


@triton.jit
def first(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, offsets, mask=offsets < n)


@triton.jit
def second(x_ptr, n, BLOCK: tl.constexpr = 16):
    offsets = tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, offsets * 2, mask=offsets < n)


def host(n):
    return n

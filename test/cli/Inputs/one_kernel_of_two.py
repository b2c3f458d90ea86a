import triton
import triton.language as tl


@triton.jit
def twice(x, positive: tl.constexpr):
    if positive:
        return x + x
    return -(x + x)


@triton.jit
def kernel(x_ptr):
    at = x_ptr + tl.arange(0, 8)
    tl.store(at, twice(tl.load(at), True))

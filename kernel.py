import triton
import triton.language as tl

@triton.jit
def f(x, n, B: tl.constexpr = 16):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, i, mask=i < n)

# expect: is 3, but 0 is expected
"""Adds the factor instead of multiplying by it."""
import triton
import triton.language as tl


@triton.jit
def multiply(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    tl.store(x_ptr + i, factor + x, mask=inside)

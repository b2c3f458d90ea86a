# expect: race
"""Blocks begin at half a block's distance: elements are multiplied twice, or once, as it happens."""
import triton
import triton.language as tl


@triton.jit
def multiply(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * (BLOCK // 2) + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    tl.store(x_ptr + i, factor * x, mask=inside)

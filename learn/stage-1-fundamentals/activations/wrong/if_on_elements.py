# expect: a condition must be a single boolean
"""A Python `if` on a block: which of its elements should decide?"""
import triton
import triton.language as tl


@triton.jit
def activate(x_ptr, out_ptr, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    y = x
    if x < 0:
        y = 0.01 * x
    tl.store(out_ptr + i, y, mask=inside)

# expect: the store writes
"""Reads carefully and writes carelessly."""
import triton
import triton.language as tl


@triton.jit
def multiply(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(x_ptr + i, factor * x)

# expect: pointer
"""The factor is a number, not the address of one."""
import triton
import triton.language as tl


@triton.jit
def multiply(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    tl.store(x_ptr + i, tl.load(factor) * x, mask=inside)

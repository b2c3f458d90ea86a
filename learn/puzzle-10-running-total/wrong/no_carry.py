# expect: `out_ptr[0, 16]` is -2.134
"""Every block begins at zero again: what came before it is not added."""
import triton
import triton.language as tl


@triton.jit
def running_total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    carry = 0.0
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + i, mask=i < n, other=0.0)
        tl.store(out_ptr + row + i, tl.cumsum(x, axis=0), mask=i < n)
        carry += tl.sum(x, axis=0)

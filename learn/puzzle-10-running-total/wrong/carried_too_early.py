# expect: `out_ptr[0, 0]` is 0.8973
"""The block is added to the carry before it is used, so that it counts twice."""
import triton
import triton.language as tl


@triton.jit
def running_total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    carry = 0.0
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + i, mask=i < n, other=0.0)
        carry += tl.sum(x, axis=0)
        tl.store(out_ptr + row + i, carry + tl.cumsum(x, axis=0), mask=i < n)

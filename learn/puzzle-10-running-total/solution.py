"""Puzzle 10: out[row, i] = x[row, 0] + … + x[row, i]. One program a row."""
import triton
import triton.language as tl


@triton.jit
def running_total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    carry = 0.0
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + i, mask=i < n, other=0.0)
        tl.store(out_ptr + row + i, carry + tl.cumsum(x, axis=0), mask=i < n)
        # The sum, not the last lane: lanes cannot be picked out of a block, and a sum is as good.
        carry += tl.sum(x, axis=0)

# expect: is 32, but 262.4 is expected
"""Loops over elements with a step in blocks, and forgets that the variable counts elements already."""
import triton
import triton.language as tl


@triton.jit
def fahrenheit(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    for first in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        offsets = first + tl.arange(0, BLOCK)
        inside = offsets < n
        x = tl.load(x_ptr + tl.arange(0, BLOCK), mask=inside)
        tl.store(out_ptr + offsets, 1.8 * x + 32, mask=inside)

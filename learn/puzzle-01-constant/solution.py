"""Puzzle 1: out[i] = value."""
import triton
import triton.language as tl


@triton.jit
def fill(out_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # The number is stretched to a block; the mask keeps the last program inside.
    tl.store(out_ptr + offsets, value, mask=offsets < n)

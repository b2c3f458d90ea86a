"""Puzzle 13: counts[v] = how often v occurs in x."""
import triton
import triton.language as tl


@triton.jit
def count_values(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE

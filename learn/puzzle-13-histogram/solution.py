"""Puzzle 13: counts[v] = how often v occurs in x."""
import triton
import triton.language as tl


@triton.jit
def count_values(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    # The mask once more: lanes past the end loaded a 0, and must not be counted as zeros.
    tl.atomic_add(counts_ptr + x, 1, mask=i < n)

"""Puzzle 12: card i goes to player i % hands, at place i // hands; out is [hands, n // hands]."""
import triton
import triton.language as tl


@triton.jit
def deal(x_ptr, out_ptr, n, hands, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE

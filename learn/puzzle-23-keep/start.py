"""Puzzle 23: the positive numbers of x, packed to the front of out; count[0] = how many. One program."""
import triton
import triton.language as tl


@triton.jit
def keep_positive(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    count = 0
    # YOUR CODE

"""Puzzle 3: out[i] = x[n - 1 - i]."""
import triton
import triton.language as tl


@triton.jit
def reverse(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # YOUR CODE
    tl.static_assert(BLOCK > 0)

"""Puzzle 4: out[(i + k) % n] = x[i]; k >= 0."""
import triton
import triton.language as tl


@triton.jit
def rotate(x_ptr, out_ptr, n, k, BLOCK: tl.constexpr):
    # YOUR CODE
    tl.static_assert(BLOCK > 0)

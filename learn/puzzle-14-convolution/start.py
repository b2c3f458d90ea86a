"""Puzzle 14: out[i] = sum over j < taps of w[j] * x[i + j], with 0 past the end of x."""
import triton
import triton.language as tl


@triton.jit
def convolve(x_ptr, w_ptr, out_ptr, n, taps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE

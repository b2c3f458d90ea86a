"""Puzzle 10: out[row, i] = x[row, 0] + … + x[row, i]. One program a row."""
import triton
import triton.language as tl


@triton.jit
def running_total(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    # YOUR CODE

"""Puzzle 9: out[i] = the sum of row i. Grid: blocks of rows."""
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    # YOUR CODE

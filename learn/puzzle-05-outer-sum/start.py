"""Puzzle 5: out[i, j] = x[i] + y[j]. Grid: (blocks of rows, blocks of columns)."""
import triton
import triton.language as tl


@triton.jit
def outer_sum(x_ptr, y_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    # YOUR CODE

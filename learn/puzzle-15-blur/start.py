"""Puzzle 15: out[r, c] = the sum of x over the 3 x 3 around (r, c), divided by 9; 0 outside."""
import triton
import triton.language as tl


@triton.jit
def blur(x_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    r = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    c = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    # YOUR CODE

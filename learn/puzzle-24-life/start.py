"""Puzzle 24: one generation of life, on a world whose edges meet."""
import triton
import triton.language as tl


@triton.jit
def generation(x_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    r = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    c = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    inside = (r < height) & (c < width)
    # YOUR CODE

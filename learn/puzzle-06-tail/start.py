"""Puzzle 6: out[b] = the largest of block b."""
import triton
import triton.language as tl


@triton.jit
def block_maximum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE

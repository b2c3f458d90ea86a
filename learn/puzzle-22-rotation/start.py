"""Puzzle 22: each pair (x[2p], x[2p + 1]) of a row is turned by angle[p]. One program a row; BLOCK >= D / 2."""
import triton
import triton.language as tl


@triton.jit
def rotate_pairs(x_ptr, angle_ptr, out_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p = tl.arange(0, BLOCK)
    inside = p < D // 2
    # YOUR CODE

"""Puzzle 19: out = softmax(scale * k @ q) @ v for each head; n <= BLOCK. One program a head."""
import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(0)
    d = tl.arange(0, D)
    j = tl.arange(0, BLOCK)
    # YOUR CODE

"""Puzzle 16: softmax of each row, in blocks; the row is read twice. One program a row."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    largest = -float("inf")
    total = 0.0
    # YOUR CODE: walk 1 renews largest and total; walk 2 writes

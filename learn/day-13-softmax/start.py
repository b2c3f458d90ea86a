"""Day 13: softmax of each row: out = exp(x - max) / sum(exp(x - max)), with one read and one write.

One program a row, columns <= BLOCK."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    # YOUR CODE: load the row once, compute, store once

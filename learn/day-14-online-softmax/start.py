"""Day 14: softmax of rows that are longer than a block, with two reads.

One program a row. The first loop finds the maximum and the sum together, the second one writes."""
import triton
import triton.language as tl


@triton.jit
def softmax_online(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * columns
    out_ptr += row * columns
    lanes = tl.arange(0, BLOCK)
    top = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + first + lanes, mask=first + lanes < columns, other=-float("inf"))
        # YOUR CODE: the new maximum, the corrected sum
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + first + lanes, mask=inside)
        tl.store(out_ptr + first + lanes, tl.exp(x - top) / total, mask=inside)

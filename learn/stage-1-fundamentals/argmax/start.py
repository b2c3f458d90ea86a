"""Argmax: the column of the largest element of each row, the first of equals. One program a row; rows are longer than BLOCK."""
import triton
import triton.language as tl


@triton.jit
def row_argmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    place = tl.zeros((BLOCK,), tl.int32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf"))
        # YOUR CODE: where is x better, and what changes there?
    # YOUR CODE: of all lanes with the largest value, the smallest place
    tl.store(out_ptr + row, tl.max(place, axis=0))

# expect: is 1.05, but 8.25 is expected
"""Adds the squares of the blocks and forgets the distance between their means."""
import triton
import triton.language as tl


@triton.jit
def row_variance(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    squares = 0.0
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + row * columns + first + lanes, mask=inside, other=0.0)
        block_count = tl.minimum(columns - first, BLOCK).to(tl.float32)
        block_mean = tl.sum(x, axis=0) / block_count
        distance = tl.where(inside, x - block_mean, 0.0)
        squares += tl.sum(distance * distance, axis=0)
    tl.store(out_ptr + row, squares / columns)

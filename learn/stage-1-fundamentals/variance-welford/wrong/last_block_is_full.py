# expect: is 8.0125, but
"""Takes the last block to have BLOCK elements, too."""
import triton
import triton.language as tl


@triton.jit
def row_variance(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    count = 0.0
    mean = 0.0
    squares = 0.0
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + row * columns + first + lanes, mask=inside, other=0.0)
        block_mean = tl.sum(x, axis=0) / BLOCK
        distance = tl.where(inside, x - block_mean, 0.0)
        delta = block_mean - mean
        squares += tl.sum(distance * distance, axis=0) + delta * delta * count * BLOCK / (count + BLOCK)
        mean += delta * BLOCK / (count + BLOCK)
        count += BLOCK
    tl.store(out_ptr + row, squares / columns)

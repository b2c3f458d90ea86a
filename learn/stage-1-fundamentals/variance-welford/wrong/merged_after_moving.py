# expect: is 4.41, but
"""Moves the mean first and takes the distance to the moved one: the distance between the groups shrinks."""
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
        block_count = tl.minimum(columns - first, BLOCK).to(tl.float32)
        block_mean = tl.sum(x, axis=0) / block_count
        distance = tl.where(inside, x - block_mean, 0.0)
        mean += (block_mean - mean) * block_count / (count + block_count)
        delta = block_mean - mean
        squares += tl.sum(distance * distance, axis=0) + delta * delta * count * block_count / (count + block_count)
        count += block_count
    tl.store(out_ptr + row, squares / columns)

"""The variance of each row in one pass."""
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
        # The block is in registers: its own two passes are free.
        block_mean = tl.sum(x, axis=0) / block_count
        distance = tl.where(inside, x - block_mean, 0.0)
        block_squares = tl.sum(distance * distance, axis=0)
        # Both groups keep their squares; what lies between their means is added, by how many stand on either side.
        delta = block_mean - mean
        squares += block_squares + delta * delta * count * block_count / (count + block_count)
        mean += delta * block_count / (count + block_count)
        count += block_count
    tl.store(out_ptr + row, squares / columns)

# expect: is 12.3, but 8.25 is expected
"""Missing lanes are 0, and their distance from the mean is squared and added."""
import triton
import triton.language as tl


@triton.jit
def row_variance(x_ptr, out_ptr, columns, correction, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        total += tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        distance = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0) - mean
        squares += distance * distance
    tl.store(out_ptr + row, tl.sum(squares, axis=0) / (columns - correction))

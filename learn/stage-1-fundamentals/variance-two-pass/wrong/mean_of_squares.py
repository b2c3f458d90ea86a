# expect: but 833.25 is expected
"""The mean of the squares minus the square of the mean: fine near zero, and a difference of huge numbers far from it."""
import triton
import triton.language as tl


@triton.jit
def row_variance(x_ptr, out_ptr, columns, correction, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / columns
    tl.store(out_ptr + row, (tl.sum(squares, axis=0) - columns * mean * mean) / (columns - correction))

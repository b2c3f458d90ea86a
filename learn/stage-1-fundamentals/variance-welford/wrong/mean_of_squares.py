# expect: but 833.25 is expected
"""One pass, with the mean of the squares minus the square of the mean: the trap of the exercise before."""
import triton
import triton.language as tl


@triton.jit
def row_variance(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / columns
    tl.store(out_ptr + row, tl.sum(squares, axis=0) / columns - mean * mean)

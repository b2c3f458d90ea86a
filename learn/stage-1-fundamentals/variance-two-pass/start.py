"""The variance of each row, in two passes: sum((x - mean)^2) / (columns - correction). One program a row; rows are longer than BLOCK."""
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
    # YOUR CODE: the second pass
    tl.store(out_ptr + row, tl.sum(squares, axis=0) / (columns - correction))

"""One row a program, element after element, in two passes."""
import triton
import triton.language as tl


@triton.jit
def row_variance(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((), tl.float64)
    for j in range(columns):
        total += tl.load(x_ptr + row * columns + j)
    mean = total / columns
    squares = tl.zeros((), tl.float64)
    for j in range(columns):
        distance = tl.load(x_ptr + row * columns + j) - mean
        squares += distance * distance
    tl.store(out_ptr + row, squares / columns)

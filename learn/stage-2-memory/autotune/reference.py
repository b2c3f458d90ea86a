"""One row a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def row_squares(x_ptr, out_ptr, columns):
    row = tl.program_id(0)
    total = tl.zeros((), tl.float64)
    for j in range(columns):
        x = tl.load(x_ptr + row * columns + j)
        total += x * x
    tl.store(out_ptr + row, total)

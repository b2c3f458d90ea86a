"""Day 7: out[i, j] = 0.5 * x[i, j]. It is right, and slow: its blocks run down the columns.

Turn it: each program takes a piece of one row."""
import triton
import triton.language as tl


def grid(rows, columns, BLOCK):
    return (columns, triton.cdiv(rows, BLOCK))  # YOUR CODE: one row and a piece of it, instead of one column and a piece of it


@triton.jit
def halve(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    # YOUR CODE: these four lines
    column = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    places = i * columns + column
    inside = i < rows
    x = tl.load(x_ptr + places, mask=inside)
    tl.store(out_ptr + places, 0.5 * x, mask=inside)

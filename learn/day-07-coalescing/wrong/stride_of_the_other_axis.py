# expect: writes it too
"""Rows are taken to be as far apart as the matrix is high."""
import triton
import triton.language as tl


def grid(rows, columns, BLOCK):
    return (rows, triton.cdiv(columns, BLOCK))


@triton.jit
def halve(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    places = row * rows + j
    inside = j < columns
    x = tl.load(x_ptr + places, mask=inside)
    tl.store(out_ptr + places, 0.5 * x, mask=inside)

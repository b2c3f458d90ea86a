# expect: written by no program
"""The mask still asks for rows, although the block runs over columns."""
import triton
import triton.language as tl


def grid(rows, columns, BLOCK):
    return (rows, triton.cdiv(columns, BLOCK))


@triton.jit
def halve(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    places = row * columns + j
    inside = j < rows
    x = tl.load(x_ptr + places, mask=inside)
    tl.store(out_ptr + places, 0.5 * x, mask=inside)

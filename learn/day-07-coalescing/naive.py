"""out[i, j] = 0.5 * x[i, j], each program a piece of one column: right, and every element costs a sector of its own."""
import triton
import triton.language as tl


def grid(rows, columns, BLOCK):
    return (columns, triton.cdiv(rows, BLOCK))


@triton.jit
def halve(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    places = i * columns + column
    inside = i < rows
    x = tl.load(x_ptr + places, mask=inside)
    tl.store(out_ptr + places, 0.5 * x, mask=inside)

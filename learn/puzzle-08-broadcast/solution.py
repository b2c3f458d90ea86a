"""Puzzle 8: out = x * row + column, with row[j] for column j and column[i] for row i."""
import triton
import triton.language as tl


@triton.jit
def scale_and_shift(x_ptr, row_ptr, column_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    at = r[:, None] * columns + c[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    # Blocks of one axis are loaded as such and stretched by the arithmetic.
    factor = tl.load(row_ptr + c, mask=c < columns, other=0.0)
    shift = tl.load(column_ptr + r, mask=r < rows, other=0.0)
    tl.store(out_ptr + at, x * factor[None, :] + shift[:, None], mask=inside)

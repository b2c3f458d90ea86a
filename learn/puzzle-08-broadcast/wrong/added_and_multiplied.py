# expect: `out_ptr[0, 0]` is 2.5051
"""The column is added before multiplying, so that it is multiplied, too."""
import triton
import triton.language as tl


@triton.jit
def scale_and_shift(x_ptr, row_ptr, column_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    at = r[:, None] * columns + c[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    factor = tl.load(row_ptr + c, mask=c < columns, other=0.0)
    shift = tl.load(column_ptr + r, mask=r < rows, other=0.0)
    tl.store(out_ptr + at, (x + shift[:, None]) * factor[None, :], mask=inside)

# expect: load a row as a row
"""A tile of copies."""
import triton
import triton.language as tl


@triton.jit
def scale_and_shift(x_ptr, row_ptr, column_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    at = r[:, None] * columns + c[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    factor = tl.load(row_ptr + c[None, :] + r[:, None] * 0, mask=inside, other=0.0)
    shift = tl.load(column_ptr + r[:, None] + c[None, :] * 0, mask=inside, other=0.0)
    tl.store(out_ptr + at, x * factor + shift, mask=inside)

# expect: `out_ptr[0, 32]` is 2.5912
"""Every block takes the factors of the first columns."""
import triton
import triton.language as tl


@triton.jit
def scale_and_shift(x_ptr, row_ptr, column_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    at = r[:, None] * columns + c[None, :]
    x = tl.load(x_ptr + at, mask=inside, other=0.0)
    factor = tl.load(row_ptr + tl.arange(0, BLOCK_C), mask=c < columns, other=0.0)
    shift = tl.load(column_ptr + r, mask=r < rows, other=0.0)
    tl.store(out_ptr + at, x * factor[None, :] + shift[:, None], mask=inside)

# expect: race: the store writes element [1, 0] of `out_ptr`, which has the shape
"""Tiles are not moved."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns))
    tl.store(out_ptr + r[:, None] * rows + c[None, :], tl.trans(tile), mask=(c[:, None] < columns) & (r[None, :] < rows))

# expect: `out_ptr[0, 1]` is 0.5327
"""The tile goes to its new place, but is not turned itself."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns))
    tl.store(out_ptr + c[:, None] * rows + r[None, :], tile, mask=(c[:, None] < columns) & (r[None, :] < rows))

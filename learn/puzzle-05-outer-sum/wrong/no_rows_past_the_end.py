# expect: out-of-bounds
"""No rows past the end."""
import triton
import triton.language as tl


@triton.jit
def outer_sum(x_ptr, y_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    c = tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    x = tl.load(x_ptr + r, mask=r < rows, other=0.0)
    y = tl.load(y_ptr + c, mask=c < columns, other=0.0)
    inside = (r[:, None] >= 0) & (c[None, :] < columns)
    tl.store(out_ptr + r[:, None] * columns + c[None, :], x[:, None] + y[None, :], mask=inside)

# expect: `out_ptr[0, 0]` is 0.9083
"""Each tile replaces the sum instead of being added to it."""
import triton
import triton.language as tl


@triton.jit
def centre_columns(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    total = tl.zeros((BLOCK_R, BLOCK_C), tl.float32)
    for first in range(0, rows, BLOCK_R):
        r = first + tl.arange(0, BLOCK_R)
        inside = (r[:, None] < rows) & (c[None, :] < columns)
        total = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
    mean = tl.sum(total, axis=0) / rows
    for first in range(0, rows, BLOCK_R):
        r = first + tl.arange(0, BLOCK_R)
        inside = (r[:, None] < rows) & (c[None, :] < columns)
        x = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
        tl.store(out_ptr + r[:, None] * columns + c[None, :], x - mean[None, :], mask=inside)

# expect: `out_ptr[0]` is 0.4221
"""Each tile replaces the sum instead of being added to it."""
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    carry = tl.zeros((BLOCK_R, BLOCK_C), tl.float32)
    for first in range(0, columns, BLOCK_C):
        c = first + tl.arange(0, BLOCK_C)
        inside = (r[:, None] < rows) & (c[None, :] < columns)
        carry = tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + r, tl.sum(carry, axis=1), mask=r < rows)

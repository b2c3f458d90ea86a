# expect: out-of-bounds: the load reads element [13, 0] of `x_ptr`, which has the
"""Columns past the end."""
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    carry = tl.zeros((BLOCK_R, BLOCK_C), tl.float32)
    for first in range(0, columns, BLOCK_C):
        c = first + tl.arange(0, BLOCK_C)
        inside = (r[:, None] < rows) & (c[None, :] >= 0)
        carry += tl.load(x_ptr + r[:, None] * columns + c[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + r, tl.sum(carry, axis=1), mask=r < rows)

# expect: do not broadcast
"""The reductions go down the columns, across rows that have nothing to do with each other."""
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x_ptr, out_ptr, rows, columns, stride, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * stride + j[None, :], mask=inside, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0)[:, None])
    share = e / tl.sum(e, axis=0)[:, None]
    tl.store(out_ptr + i[:, None] * columns + j[None, :], share.to(tl.float16), mask=inside)

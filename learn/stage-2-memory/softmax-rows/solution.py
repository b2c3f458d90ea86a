"""Softmax of short fp16 rows, BLOCK_ROWS of them for each program."""
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x_ptr, out_ptr, rows, columns, stride, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * stride + j[None, :], mask=inside, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=1)
    # A row of nothing: with 0 instead of its maximum, all exponentials are exp(-inf) = 0, and no nan appears.
    top = tl.where(top == -float("inf"), 0.0, top)
    e = tl.exp(x - top[:, None])
    total = tl.sum(e, axis=1)
    # 0 / 1 instead of 0 / 0. Any other row has a sum of at least 1.
    total = tl.where(total == 0.0, 1.0, total)
    share = e / total[:, None]
    tl.store(out_ptr + i[:, None] * columns + j[None, :], share.to(tl.float16), mask=inside)

# expect: `out_ptr[1, 0]`
"""Rows are taken to lie one behind the other, but they are part of a wider matrix."""
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x_ptr, out_ptr, rows, columns, stride, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.arange(0, BLOCK_COLUMNS)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=1)
    top = tl.where(top == -float("inf"), 0.0, top)
    e = tl.exp(x - top[:, None])
    total = tl.sum(e, axis=1)
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + i[:, None] * columns + j[None, :], (e / total[:, None]).to(tl.float16), mask=inside)

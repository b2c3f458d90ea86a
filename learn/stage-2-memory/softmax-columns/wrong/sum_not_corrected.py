# expect: `out_ptr[43, 0]`
"""The maximum moves from tile to tile, the sum does not follow."""
import triton
import triton.language as tl


@triton.jit
def softmax_columns(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    j = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    top = tl.full((BLOCK_COLUMNS,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_COLUMNS,), tl.float32)
    for first in range(0, rows, BLOCK_ROWS):
        i = first + tl.arange(0, BLOCK_ROWS)
        inside = (i[:, None] < rows) & (j[None, :] < columns)
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=-float("inf"))
        top = tl.maximum(top, tl.max(x, axis=0))
        total += tl.sum(tl.exp(x - top[None, :]), axis=0)
    for first in range(0, rows, BLOCK_ROWS):
        i = first + tl.arange(0, BLOCK_ROWS)
        inside = (i[:, None] < rows) & (j[None, :] < columns)
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=-float("inf"))
        tl.store(out_ptr + i[:, None] * columns + j[None, :], tl.exp(x - top[None, :]) / total[None, :], mask=inside)

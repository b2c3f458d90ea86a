"""Softmax of the columns of a matrix that lies row after row."""
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
        # Pieces of rows: BLOCK_COLUMNS neighbours in memory at a time.
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=-float("inf"))
        higher = tl.maximum(top, tl.max(x, axis=0))
        # Day 14 for every column at once: the old sum is corrected, the tile's is added.
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher[None, :]), axis=0)
        top = higher
    for first in range(0, rows, BLOCK_ROWS):
        i = first + tl.arange(0, BLOCK_ROWS)
        inside = (i[:, None] < rows) & (j[None, :] < columns)
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=-float("inf"))
        tl.store(out_ptr + i[:, None] * columns + j[None, :], tl.exp(x - top[None, :]) / total[None, :], mask=inside)

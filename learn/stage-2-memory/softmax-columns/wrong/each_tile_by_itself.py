# expect: is 0.0625, but 0.02 is expected
"""Each tile is normalized by itself: the shares of a tile add up to 1, not those of the column."""
import triton
import triton.language as tl


@triton.jit
def softmax_columns(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    j = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    for first in range(0, rows, BLOCK_ROWS):
        i = first + tl.arange(0, BLOCK_ROWS)
        inside = (i[:, None] < rows) & (j[None, :] < columns)
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0)[None, :])
        tl.store(out_ptr + i[:, None] * columns + j[None, :], e / tl.sum(e, axis=0)[None, :], mask=inside)

# expect: but 1200 is expected
"""Reads the matrix as if it lay row after row: fast, and other numbers."""
import triton
import triton.language as tl


def grid(rows, BLOCK_ROWS):
    return (triton.cdiv(rows, BLOCK_ROWS),)


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    total = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), tl.float32)
    for first in range(0, columns, BLOCK_COLUMNS):
        j = first + tl.arange(0, BLOCK_COLUMNS)
        inside = (i[:, None] < rows) & (j[None, :] < columns)
        total += tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=0.0)
    tl.store(out_ptr + i, tl.sum(total, axis=1), mask=i < rows)

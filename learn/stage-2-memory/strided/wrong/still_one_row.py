# expect: sectors
"""A loop over the rows of the tile, one at a time: fewer programs, the same sectors."""
import triton
import triton.language as tl


def grid(rows, BLOCK_ROWS):
    return (triton.cdiv(rows, BLOCK_ROWS),)


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    for k in range(BLOCK_ROWS):
        i = tl.program_id(0) * BLOCK_ROWS + k
        total = tl.zeros((BLOCK_COLUMNS,), tl.float32)
        for first in range(0, columns, BLOCK_COLUMNS):
            j = first + tl.arange(0, BLOCK_COLUMNS)
            total += tl.load(x_ptr + i + j * rows, mask=(j < columns) & (i < rows), other=0.0)
        tl.store(out_ptr + i, tl.sum(total, axis=0), mask=i < rows)

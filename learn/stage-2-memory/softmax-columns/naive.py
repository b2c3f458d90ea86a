"""Right, but one column after the other: each element costs a sector."""
import triton
import triton.language as tl


@triton.jit
def softmax_columns(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    lanes = tl.arange(0, BLOCK_ROWS)
    for c in range(BLOCK_COLUMNS):
        j = tl.program_id(0) * BLOCK_COLUMNS + c
        top = -float("inf")
        total = 0.0
        if j < columns:
            for first in range(0, rows, BLOCK_ROWS):
                x = tl.load(x_ptr + (first + lanes) * columns + j, mask=first + lanes < rows, other=-float("inf"))
                higher = tl.maximum(top, tl.max(x, axis=0))
                total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), axis=0)
                top = higher
            for first in range(0, rows, BLOCK_ROWS):
                x = tl.load(x_ptr + (first + lanes) * columns + j, mask=first + lanes < rows, other=-float("inf"))
                tl.store(out_ptr + (first + lanes) * columns + j, tl.exp(x - top) / total, mask=first + lanes < rows)

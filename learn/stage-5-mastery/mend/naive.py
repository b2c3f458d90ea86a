"""Right, and slow: one column at a time."""
import triton
import triton.language as tl


@triton.jit
def centre_columns(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    for column in range(tl.program_id(0) * BLOCK_C, tl.minimum(columns, tl.program_id(0) * BLOCK_C + BLOCK_C)):
        total = 0.0
        for first in range(0, rows, BLOCK_R):
            r = first + tl.arange(0, BLOCK_R)
            total += tl.sum(tl.load(x_ptr + r * columns + column, mask=r < rows, other=0.0), axis=0)
        for first in range(0, rows, BLOCK_R):
            r = first + tl.arange(0, BLOCK_R)
            x = tl.load(x_ptr + r * columns + column, mask=r < rows, other=0.0)
            tl.store(out_ptr + r * columns + column, x - total / rows, mask=r < rows)

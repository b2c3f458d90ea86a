"""Right, and slow. Mend it: out = x - mean of its column. Grid: blocks of BLOCK_C columns."""
import triton
import triton.language as tl


@triton.jit
def centre_columns(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    # YOUR CODE: nereid count says what is slow here
    for column in range(tl.program_id(0) * BLOCK_C, tl.minimum(columns, tl.program_id(0) * BLOCK_C + BLOCK_C)):
        total = 0.0
        for first in range(0, rows, BLOCK_R):
            r = first + tl.arange(0, BLOCK_R)
            total += tl.sum(tl.load(x_ptr + r * columns + column, mask=r < rows, other=0.0), axis=0)
        count = 0.0
        for first in range(0, rows, BLOCK_R):
            r = first + tl.arange(0, BLOCK_R)
            x = tl.load(x_ptr + r * columns + column, mask=r < rows, other=0.0)
            count += tl.sum(tl.where((r < rows) & (x == x), 1.0, 0.0), axis=0)
        for first in range(0, rows, BLOCK_R):
            r = first + tl.arange(0, BLOCK_R)
            x = tl.load(x_ptr + r * columns + column, mask=r < rows, other=0.0)
            tl.store(out_ptr + r * columns + column, x - total / count, mask=r < rows)

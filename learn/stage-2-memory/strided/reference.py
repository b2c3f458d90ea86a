"""One row a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0)
    total = tl.zeros((), tl.float64)
    for j in range(columns):
        total += tl.load(x_ptr + i + j * rows)
    tl.store(out_ptr + i, total)

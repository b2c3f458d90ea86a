"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def scale_and_shift(x_ptr, row_ptr, column_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    if tl.program_id(0) + tl.program_id(1) == 0:
        for i in range(rows * columns):
            x = tl.load(x_ptr + i)
            tl.store(out_ptr + i, x * tl.load(row_ptr + i % columns) + tl.load(column_ptr + i // columns))

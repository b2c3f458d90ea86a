"""One element after the other."""
import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        total = tl.load(x_ptr + row * columns)
        for column in range(1, columns):
            total += tl.load(x_ptr + row * columns + column)
        tl.store(out_ptr + row, total)

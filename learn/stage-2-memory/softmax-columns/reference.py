"""One column a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def softmax_columns(x_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    j = tl.program_id(0)
    top = tl.load(x_ptr + j)
    for i in range(rows):
        top = tl.maximum(top, tl.load(x_ptr + i * columns + j))
    total = tl.zeros((), tl.float64)
    for i in range(rows):
        total += tl.exp(tl.load(x_ptr + i * columns + j) - top)
    for i in range(rows):
        tl.store(out_ptr + i * columns + j, tl.exp(tl.load(x_ptr + i * columns + j) - top) / total)

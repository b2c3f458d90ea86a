"""One row a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x_ptr, out_ptr, rows, columns, stride, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0)
    top = tl.load(x_ptr + i * stride)
    for j in range(columns):
        top = tl.maximum(top, tl.load(x_ptr + i * stride + j))
    if top == -float("inf"):
        for j in range(columns):
            tl.store(out_ptr + i * columns + j, 0.0)
    else:
        total = tl.zeros((), tl.float64)
        for j in range(columns):
            total += tl.exp(tl.load(x_ptr + i * stride + j) - top)
        for j in range(columns):
            tl.store(out_ptr + i * columns + j, tl.exp(tl.load(x_ptr + i * stride + j) - top) / total)

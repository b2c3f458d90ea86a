"""One row a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * columns
    top = tl.load(x_ptr)
    for j in range(columns):
        top = tl.maximum(top, tl.load(x_ptr + j))
    total = tl.zeros((), tl.float64)
    for j in range(columns):
        total += tl.exp(tl.load(x_ptr + j) - top)
    for j in range(columns):
        tl.store(out_ptr + row * columns + j, tl.load(x_ptr + j) - top - tl.log(total))

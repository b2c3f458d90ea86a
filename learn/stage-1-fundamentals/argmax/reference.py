"""One row a program, element after element."""
import triton
import triton.language as tl


@triton.jit
def row_argmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.load(x_ptr + row * columns)
    place = 0
    for j in range(columns):
        x = tl.load(x_ptr + row * columns + j)
        if x > best:
            best = x
            place = j
    tl.store(out_ptr + row, place)

"""out[i, j] = 0.5 * x[i, j], one element after the other."""
import triton
import triton.language as tl


@triton.jit
def halve(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    for i in range(rows):
        for j in range(columns):
            tl.store(out_ptr + i * columns + j, tl.load(x_ptr + i * columns + j) / 2)

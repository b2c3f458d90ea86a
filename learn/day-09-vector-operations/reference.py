"""out[i, j] = x[i, j] * scale[j] + shift[i], one element after the other."""
import triton
import triton.language as tl


@triton.jit
def scale_shift(x_ptr, scale_ptr, shift_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0)
    for j in range(columns):
        x = tl.load(x_ptr + i * columns + j)
        tl.store(out_ptr + i * columns + j, x * tl.load(scale_ptr + j) + tl.load(shift_ptr + i))

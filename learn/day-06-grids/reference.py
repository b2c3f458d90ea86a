"""out[b, i, j] = x[b, i, j] * factor[b], one element after the other."""
import triton
import triton.language as tl


@triton.jit
def scale_matrices(x_ptr, factor_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    if (tl.program_id(0) == 0) & (tl.program_id(1) == 0):
        b = tl.program_id(2)
        for i in range(rows):
            for j in range(columns):
                place = (b * rows + i) * columns + j
                tl.store(out_ptr + place, tl.load(x_ptr + place) * tl.load(factor_ptr + b))

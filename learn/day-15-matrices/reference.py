"""out[j, i] = x[i, j], one element after the other."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, out_stride_row, out_stride_column, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    for j in range(columns):
        x = tl.load(x_ptr + i * x_stride_row + j * x_stride_column)
        tl.store(out_ptr + j * out_stride_row + i * out_stride_column, x)

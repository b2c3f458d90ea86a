# expect: writes it too
"""The strides of out are used the wrong way round."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, out_stride_row, out_stride_column, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * x_stride_row + j[None, :] * x_stride_column, mask=(i[:, None] < rows) & (j[None, :] < columns))
    out_places = i[None, :] * out_stride_row + j[:, None] * out_stride_column
    tl.store(out_ptr + out_places, tl.trans(x), mask=(j[:, None] < columns) & (i[None, :] < rows))

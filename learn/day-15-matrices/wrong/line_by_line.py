# expect: sectors
"""Right, with a loop over lines: out is written down its columns."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, out_stride_row, out_stride_column, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for k in range(BLOCK):
        j = tl.program_id(1) * BLOCK + k
        inside = (i < rows) & (j < columns)
        x = tl.load(x_ptr + i * x_stride_row + j * x_stride_column, mask=inside)
        tl.store(out_ptr + j * out_stride_row + i * out_stride_column, x, mask=inside)

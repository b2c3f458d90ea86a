"""Right, but line by line: each piece of a row of x becomes a piece of a column of out, with a sector for each element."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, out_stride_row, out_stride_column, BLOCK: tl.constexpr):
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    for k in range(BLOCK):
        i = tl.program_id(0) * BLOCK + k
        inside = (j < columns) & (i < rows)
        x = tl.load(x_ptr + i * x_stride_row + j * x_stride_column, mask=inside)
        tl.store(out_ptr + j * out_stride_row + i * out_stride_column, x, mask=inside)

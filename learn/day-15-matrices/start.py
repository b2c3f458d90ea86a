"""Day 15: out[j, i] = x[i, j] for any strides of both.

x has `rows` rows and `columns` columns, out the other way round. The grid is (tiles down x, tiles across x)."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, out_stride_row, out_stride_column, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE: load the tile of x by x's strides, turn it, store it by the strides of out

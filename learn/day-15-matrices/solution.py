"""out[j, i] = x[i, j] for any strides of both, tile by tile."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, x_stride_row, x_stride_column, out_stride_row, out_stride_column, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    # i runs down this tile, j across it.
    x = tl.load(x_ptr + i[:, None] * x_stride_row + j[None, :] * x_stride_column, mask=(i[:, None] < rows) & (j[None, :] < columns))
    # In out the roles change: row j, column i. So do the shapes, of the addresses and of the mask, and the tile is turned with them.
    out_places = j[:, None] * out_stride_row + i[None, :] * out_stride_column
    tl.store(out_ptr + out_places, tl.trans(x), mask=(j[:, None] < columns) & (i[None, :] < rows))

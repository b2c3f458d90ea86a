"""Right, and both sides go along rows; but neighbouring lanes pick elements that are a whole row of the tile apart, all in one bank."""
import triton
import triton.language as tl


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    first_row, first_column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    i = tl.arange(0, BLOCK * BLOCK)
    r, c = first_row + i // BLOCK, first_column + i % BLOCK
    tile = tl.load(x_ptr + r * columns + c, mask=(r < rows) & (c < columns), other=0.0)
    flipped = tl.gather(tile, i % BLOCK * BLOCK + i // BLOCK, 0)
    j, k = first_column + i // BLOCK, first_row + i % BLOCK
    tl.store(out_ptr + j * rows + k, flipped, mask=(j < columns) & (k < rows))

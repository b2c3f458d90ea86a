"""out[i, j] = x[i, j] * scale[j] + shift[i], tile by tile."""
import triton
import triton.language as tl


@triton.jit
def scale_shift(x_ptr, scale_ptr, shift_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    places = i[:, None] * columns + j[None, :]
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + places, mask=inside)
    # Vectors of addresses: each number is asked for once in a tile. A vector's mask has one condition, its own.
    scale = tl.load(scale_ptr + j, mask=j < columns)
    shift = tl.load(shift_ptr + i, mask=i < rows)
    # The values are spread, not the addresses.
    tl.store(out_ptr + places, x * scale[None, :] + shift[:, None], mask=inside)

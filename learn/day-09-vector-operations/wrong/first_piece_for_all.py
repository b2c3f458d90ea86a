# expect: [0, 32]
"""Every tile takes the first BLOCK_COLUMNS elements of scale, wherever the tile is."""
import triton
import triton.language as tl


@triton.jit
def scale_shift(x_ptr, scale_ptr, shift_ptr, out_ptr, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    places = i[:, None] * columns + j[None, :]
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    x = tl.load(x_ptr + places, mask=inside)
    scale = tl.load(scale_ptr + tl.arange(0, BLOCK_COLUMNS), mask=tl.arange(0, BLOCK_COLUMNS) < columns)
    shift = tl.load(shift_ptr + i, mask=i < rows)
    tl.store(out_ptr + places, x * scale[None, :] + shift[:, None], mask=inside)

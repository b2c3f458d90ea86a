# expect: `out_ptr[0, 0]` is 0.7746
"""`top` and `left` are swapped: `top` counts rows."""
import triton
import triton.language as tl


@triton.jit
def crop(x_ptr, out_ptr, columns, top, left, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    r = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    c = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    inside = (r < height) & (c < width)
    tile = tl.load(x_ptr + (left + r) * columns + top + c, mask=inside)
    tl.store(out_ptr + r * width + c, tile, mask=inside)

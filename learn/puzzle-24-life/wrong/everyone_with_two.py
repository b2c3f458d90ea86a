# expect: `out_ptr[0, 13]` is 1
"""Two neighbours keep a living cell alive; here they wake a dead one, too."""
import triton
import triton.language as tl


@triton.jit
def generation(x_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    r = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    c = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    inside = (r < height) & (c < width)
    alive = tl.load(x_ptr + r * width + c, mask=inside, other=0)
    neighbours = -alive
    for down in range(-1, 2):
        for right in range(-1, 2):
            y = (r + down + height) % height
            x = (c + right + width) % width
            neighbours += tl.load(x_ptr + y * width + x, mask=inside, other=0)
    lives = (neighbours == 3) | (neighbours == 2)
    tl.store(out_ptr + r * width + c, lives.to(tl.int32), mask=inside)

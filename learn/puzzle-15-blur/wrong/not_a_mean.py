# expect: `out_ptr[0, 0]` is -0.411
"""The sum is not divided by 9."""
import triton
import triton.language as tl


@triton.jit
def blur(x_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    r = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    c = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    total = tl.zeros((BLOCK_H, BLOCK_W), tl.float32)
    for down in range(-1, 2):
        for right in range(-1, 2):
            y = r + down
            x = c + right
            inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            total += tl.load(x_ptr + y * width + x, mask=inside, other=0.0)
    tl.store(out_ptr + r * width + c, total, mask=(r < height) & (c < width))

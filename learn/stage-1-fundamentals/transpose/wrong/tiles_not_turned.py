# expect: `x_ptr[0, 17]` is
"""The tiles change places, but as they are: inside of them nothing is turned."""
import triton
import triton.language as tl


@triton.jit
def transpose_in_place(x_ptr, n, BLOCK: tl.constexpr):
    tile_i = tl.program_id(0)
    tile_j = tl.program_id(1)
    if tile_i <= tile_j:
        i = tile_i * BLOCK + tl.arange(0, BLOCK)
        j = tile_j * BLOCK + tl.arange(0, BLOCK)
        upper = i[:, None] * n + j[None, :]
        lower = j[:, None] * n + i[None, :]
        in_upper = (i[:, None] < n) & (j[None, :] < n)
        in_lower = (j[:, None] < n) & (i[None, :] < n)
        a = tl.load(x_ptr + upper, mask=in_upper, other=0.0)
        b = tl.load(x_ptr + lower, mask=in_lower, other=0.0)
        if tile_i == tile_j:
            b = tl.trans(b)
            a = tl.trans(a)
        tl.store(x_ptr + upper, b, mask=in_upper)
        tl.store(x_ptr + lower, a, mask=in_lower)

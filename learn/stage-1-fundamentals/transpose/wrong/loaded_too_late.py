# expect: of 2304 elements, 1488 are wrong
"""The upper tile is loaded after it was overwritten: what comes back is the lower one."""
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
        b = tl.load(x_ptr + lower, mask=in_lower)
        tl.store(x_ptr + upper, tl.trans(b), mask=in_upper)
        a = tl.load(x_ptr + upper, mask=in_upper)
        tl.store(x_ptr + lower, tl.trans(a), mask=in_lower)

# expect: `turn_ptr[0, 1]` is 1
"""The tiles go along whole rows: the groups of rows are left out."""
import triton
import triton.language as tl


@triton.jit
def tile_of_turn(turn, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Groups of GROUP rows of tiles; inside of a group down first, then right."""
    per_group = GROUP * tiles_n
    first = turn // per_group * GROUP
    height = tl.minimum(tiles_m - first, GROUP)
    inside = turn % per_group
    return turn // tiles_n, turn % tiles_n


@triton.jit
def scheduled_product(a_ptr, b_ptr, c_ptr, turn_ptr, M, N, K, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """c = a @ b; turn[tile_m, tile_n] = when the tile had its turn."""
    tiles_m = tl.cdiv(M, BLOCK)
    tiles_n = tl.cdiv(N, BLOCK)
    for turn in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tile_of_turn(turn, tiles_m, tiles_n, GROUP)
        m = tile_m * BLOCK + tl.arange(0, BLOCK)[:, None]
        n = tile_n * BLOCK + tl.arange(0, BLOCK)[None, :]
        total = tl.zeros((BLOCK, BLOCK), tl.float32)
        for first in range(0, K, BLOCK):
            k = first + tl.arange(0, BLOCK)
            a = tl.load(a_ptr + m * K + k[None, :], mask=(m < M) & (k[None, :] < K), other=0.0)
            b = tl.load(b_ptr + k[:, None] * N + n, mask=(k[:, None] < K) & (n < N), other=0.0)
            total = tl.dot(a, b, total)
        tl.store(c_ptr + m * N + n, total, mask=(m < M) & (n < N))
        tl.store(turn_ptr + tile_m * tiles_n + tile_n, turn)

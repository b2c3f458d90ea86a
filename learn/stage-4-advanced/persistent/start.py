"""A persistent product whose tiles come in groups of rows. Any grid of one axis."""
import triton
import triton.language as tl


@triton.jit
def tile_of_turn(turn, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Groups of GROUP rows of tiles; inside of a group down first, then right."""
    # YOUR CODE
    return turn // tiles_n, turn % tiles_n


@triton.jit
def scheduled_product(a_ptr, b_ptr, c_ptr, turn_ptr, M, N, K, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """c = a @ b; turn[tile_m, tile_n] = when the tile had its turn."""
    tiles_m = tl.cdiv(M, BLOCK)
    tiles_n = tl.cdiv(N, BLOCK)
    # YOUR CODE

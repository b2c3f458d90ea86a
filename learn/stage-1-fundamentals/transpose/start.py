"""Transpose a square matrix in place: x[i, j] and x[j, i] change places. The grid is (tiles down, tiles across)."""
import triton
import triton.language as tl


@triton.jit
def transpose_in_place(x_ptr, n, BLOCK: tl.constexpr):
    tile_i = tl.program_id(0)
    tile_j = tl.program_id(1)
    i = tile_i * BLOCK + tl.arange(0, BLOCK)
    j = tile_j * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE: one program for each pair of tiles: load both, store both

"""Day 16: c = a @ b, a tile of c for each program. a is M x K, b is K x N, both fp16; c is M x N, fp32.

K is a constant: one tile holds all of it. The grid is (tiles down, tiles across)."""
import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, K)
    # YOUR CODE: load BLOCK_M x K of a and K x BLOCK_N of b, multiply them, store the tile of c

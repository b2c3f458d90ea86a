"""c = relu(a @ b + bias) in fp16, tiles in groups of four rows."""
import triton
import triton.language as tl


@triton.jit
def layer(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    index = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    # Four strips of a and the strips of b that are in use fit into the cache together.
    GROUP: tl.constexpr = 4
    first_m = index // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first_m, GROUP)
    inside = index % (GROUP * tiles_n)
    tile_m = first_m + inside % height
    tile_n = inside // height

    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
    # In fp32, before the only rounding: the tile has not left the registers yet.
    bias = tl.load(bias_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    total = tl.maximum(total + bias[None, :], 0.0)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))

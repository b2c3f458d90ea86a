"""Day 19: choose the tiles. The kernel is finished: your part is the rules and the list above it."""
import triton
import triton.language as tl


def rows_of_a_tile(args):
    # YOUR CODE: from args["M"] and args["N"]
    return 64


def columns_of_a_tile(args):
    # YOUR CODE
    return 64


@triton.autotune(configs=[
    triton.Config({"BLOCK_K": 64}, num_warps=8),
    # YOUR CODE: others to try; the first one counts where nothing is timed
], key=["M", "N", "K"])
@triton.heuristics({"BLOCK_M": rows_of_a_tile, "BLOCK_N": columns_of_a_tile})
@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rows * K + k[None, :], mask=(rows < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + columns, mask=(k[:, None] < K) & (columns < N), other=0.0)
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows * N + columns, total, mask=(rows < M) & (columns < N))

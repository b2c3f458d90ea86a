"""Day 19: choose the tiles."""
import triton
import triton.language as tl


# Tensor cores work on 16 rows or columns at least, so 16 is the thinnest tile worth having. What a thin tile saves in rows
# it spends on columns: 16 x 64 has the area of 32 x 32, and there are as many programs.
def rows_of_a_tile(args):
    if args["M"] <= 16:
        return 16
    return 64 if args["N"] <= 16 else 32


def columns_of_a_tile(args):
    if args["N"] <= 16:
        return 16
    return 64 if args["M"] <= 16 else 32


# The depth of a step changes neither bytes nor operations: only a clock can say which is better.
@triton.autotune(configs=[
    triton.Config({"BLOCK_K": 32}, num_warps=4),
    triton.Config({"BLOCK_K": 16}, num_warps=2),
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

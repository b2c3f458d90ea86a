"""Puzzle 18: out[n] = scale[n] * sum over k of (w[n, k] - 8) * x[k]; byte p of a row holds weight 2p (low half) and 2p + 1 (high half)."""
import triton
import triton.language as tl


@triton.jit
def packed_product(x_ptr, packed_ptr, scale_ptr, out_ptr, N, K, BLOCK_N: tl.constexpr, BLOCK_P: tl.constexpr):
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    # YOUR CODE: a loop over bytes, K // 2 in a row

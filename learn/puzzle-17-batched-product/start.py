"""Puzzle 17: c[b] = a[b] @ b[b]. Grid: (tiles, batches)."""
import triton
import triton.language as tl


@triton.jit
def products(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    # YOUR CODE
    tl.static_assert(BLOCK_M > 0)

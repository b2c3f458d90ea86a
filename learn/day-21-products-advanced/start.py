"""Day 21: the products of all groups in one launch, by a fixed number of programs."""
import triton
import triton.language as tl


@triton.jit
def experts(a_ptr, b_ptr, c_ptr, lengths_ptr, groups, capacity, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    """c[g] = a[g] @ b[g] for rows below lengths[g], and 0 for the rows from there to capacity. Any grid of one axis."""
    tiles_m = tl.cdiv(capacity, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    # YOUR CODE: walk over groups * tiles_m * tiles_n tiles; take each number apart; no steps for tiles past the length

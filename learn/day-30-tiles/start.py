"""Day 30: find the tiles. For each query the key with the largest score."""
import triton
import triton.language as tl


@triton.jit
def looks_at(q_ptr, k_ptr, largest_ptr, where_ptr, q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s,
             heads, group, length_q, length_k, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """largest and where: [batch, heads, length_q]. Head h of q meets head h // group of k. Grid: (blocks of queries, batch * heads)."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    # YOUR CODE: batch and head; the tile of q; the loop over tiles of k with two carries; two stores

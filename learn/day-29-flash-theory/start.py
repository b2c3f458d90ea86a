"""Day 29: blocks of keys, two passes: first the maximum, then everything else."""
import triton
import triton.language as tl


@triton.jit
def attention_two_passes(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                         BLOCK_N: tl.constexpr):
    """O = softmax(scale * Q K^T) V. Grid: (blocks of queries, heads)."""
    start = tl.program_id(1) * length * DIM
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + start + rows[:, None] * DIM + d[None, :], mask=rows[:, None] < length, other=0.0)
    # YOUR CODE: pass 1: the largest score of each row
    # YOUR CODE: pass 2: the same scores again; weights relative to the largest, their sum, and the weighted sum of v

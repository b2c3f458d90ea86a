"""Day 28: all three steps in one kernel, for rows of scores that fit."""
import triton
import triton.language as tl


@triton.jit
def attention_row(q_ptr, k_ptr, v_ptr, out_ptr, scratch_ptr, length, scale, DIM: tl.constexpr, BLOCK: tl.constexpr,
                  WIDE: tl.constexpr):
    """O = softmax(scale * Q K^T) V; WIDE >= length. Grid: (blocks of queries, heads)."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.arange(0, WIDE)
    d = tl.arange(0, DIM)
    # YOUR CODE: a tile of q, all of k, scores, softmax of rows, all of v, the result

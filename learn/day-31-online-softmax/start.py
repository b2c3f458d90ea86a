"""Day 31: one pass over the scores, with a maximum that may still grow."""
import triton
import triton.language as tl


@triton.jit
def soft_average(s_ptr, v_ptr, out_ptr, lse_ptr, rows, n, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """out = softmax(s) @ v; lse = log(sum(exp(s))) of each row. Grid: blocks of rows."""
    r = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIM)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    total = tl.zeros((BLOCK_M, DIM), tl.float32)
    # YOUR CODE: one loop over blocks of columns; then two stores

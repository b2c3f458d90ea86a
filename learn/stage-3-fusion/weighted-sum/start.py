"""out = dropout(P) V. Grid: (blocks of queries, heads)."""
import triton
import triton.language as tl


@triton.jit
def dropped_sum(p_ptr, v_ptr, out_ptr, n, drop, seed, DIM: tl.constexpr, BLOCK: tl.constexpr):
    """A share is kept where tl.rand(seed, its place in P) >= drop, and divided by 1 - drop."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, DIM)
    # YOUR CODE

"""P = causal softmax of scale * Q K^T. Grid: (blocks of queries, heads)."""
import triton
import triton.language as tl


@triton.jit
def causal_shares(q_ptr, k_ptr, p_ptr, n, scale, DIM: tl.constexpr, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """WIDE >= n; query i sees keys 0 … i; the rest of P is 0."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keys = tl.arange(0, WIDE)
    d = tl.arange(0, DIM)
    # YOUR CODE

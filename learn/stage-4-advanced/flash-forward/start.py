"""Flash attention, forward, on [tokens, heads, DIM], with a soft cap. Grid: (blocks of queries, heads)."""
import triton
import triton.language as tl


@triton.jit
def capped_attention(q_ptr, k_ptr, v_ptr, out_ptr, n, heads, group, scale, cap, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr):
    """score = cap * tanh(scale * q·k / cap); head h of q meets head h // group of k and v."""
    # YOUR CODE
    tl.static_assert(DIM > 0)

"""Day 32: flash attention, forward."""
import triton
import triton.language as tl


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """O = softmax(scale * Q K^T) V and its lse; with CAUSAL query i sees keys 0 … i. Tensors are [heads, length, DIM].
    Grid: (blocks of queries, heads)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)

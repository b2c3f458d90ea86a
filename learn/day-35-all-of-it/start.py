"""Day 35: flash attention, forward and backward, with heads that share keys. All of it is yours.

q, out, grad_out, grad_q: [heads, length, DIM]; k, v, grad_k, grad_v: [heads // group, length, DIM]; lse, delta: fp32 [heads, length]."""
import triton
import triton.language as tl


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, group, length, scale, CAUSAL: tl.constexpr, DIM: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Grid: (blocks of queries, heads)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)


@triton.jit
def row_products(out_ptr, grad_out_ptr, delta_ptr, length, DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    """delta = sum(O * dO). Grid: (blocks of queries, heads)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, group, length, scale,
                CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Grid: (blocks of keys, heads // group)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, group, length, scale,
               CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Grid: (blocks of queries, heads)."""
    # YOUR CODE
    tl.static_assert(DIM > 0)

"""The exam: gradients of attention by q, k and v. See the lesson for what each kernel writes."""
import triton
import triton.language as tl


@triton.jit
def prepare(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, group, length_q, length_k, scale, CAUSAL: tl.constexpr,
            DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    # YOUR CODE
    tl.static_assert(DIM > 0)


@triton.jit
def backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, group, length_q, length_k,
                scale, CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    # YOUR CODE
    tl.static_assert(DIM > 0)


@triton.jit
def backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, group, length_q, length_k, scale,
               CAUSAL: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    # YOUR CODE
    tl.static_assert(DIM > 0)

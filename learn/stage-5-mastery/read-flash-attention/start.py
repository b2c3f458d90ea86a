"""Five questions about kernels/flash_attention/flash_attention.py, with CAUSAL."""
import triton
import triton.language as tl


@triton.jit
def forward_plan(block_ptr, full_ptr, last_ptr, length_q, length_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Questions 1 to 3. Grid: blocks of queries."""
    # YOUR CODE
    tl.static_assert(BLOCK_M > 0)


@triton.jit
def backward_plan(first_ptr, all_ptr, length_q, length_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Questions 4 and 5. Grid: blocks of keys."""
    # YOUR CODE
    tl.static_assert(BLOCK_M > 0)

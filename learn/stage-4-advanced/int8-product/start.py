"""c = a_scale * b_scale * (a @ b) of int8 matrices. Grid: (blocks of M, blocks of N)."""
import triton
import triton.language as tl


@triton.jit
def int8_product(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    # YOUR CODE

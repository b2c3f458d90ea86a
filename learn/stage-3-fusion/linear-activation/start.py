"""out = activation(x W^T + bias). Grid: (blocks of M, blocks of N)."""
import triton
import triton.language as tl


@triton.jit
def linear(x_ptr, w_ptr, bias_ptr, out_ptr, M, N, K, ACTIVATION: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    """x is [M, K], w is [N, K]; ACTIVATION is "relu", "silu" or "none"."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    # YOUR CODE

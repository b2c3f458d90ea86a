"""out = silu(x Wg) * (x Wu). Grid: (blocks of M, blocks of N)."""
import triton
import triton.language as tl


@triton.jit
def swiglu(x_ptr, gate_ptr, up_ptr, out_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """x is [M, K]; gate and up are [K, N]."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    # YOUR CODE

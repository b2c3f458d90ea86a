"""out = x @ ((w - 8) * scale) with weights of 4 bits. Grid: (blocks of M, blocks of N)."""
import triton
import triton.language as tl


@triton.jit
def int4_product(x_ptr, packed_ptr, scale_ptr, out_ptr, M, N, K, GROUP: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr):
    """packed is [K / 2, N]: byte p holds k = 2p in its low half and k = 2p + 1 in its high half; scale is [K / GROUP, N]."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    # YOUR CODE

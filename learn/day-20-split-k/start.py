"""Day 20: cut the sum over k into parts, one program each, and add the parts up in a second pass."""
import triton
import triton.language as tl


@triton.jit
def partial_products(a_ptr, b_ptr, partial_ptr, M, N, K, depth, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr, SPLITS: tl.constexpr):
    """partial[split] = A[:, part of split] @ B[part of split, :]. Grid: (tiles, SPLITS)."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    # YOUR CODE: which part of k is mine? the loop over it; the store into partial[split]


@triton.jit
def add_up(partial_ptr, c_ptr, M, N, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    """C = the sum of partial[0] … partial[SPLITS - 1]."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE

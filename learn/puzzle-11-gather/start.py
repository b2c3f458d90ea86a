"""Puzzle 11: out[i] = table[index[i]], and 0 where the index is not in 0 … m - 1."""
import triton
import triton.language as tl


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # YOUR CODE

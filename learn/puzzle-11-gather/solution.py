"""Puzzle 11: out[i] = table[index[i]], and 0 where the index is not in 0 … m - 1."""
import triton
import triton.language as tl


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # Lanes past the end get an index that points nowhere, so one mask is enough for the second load.
    index = tl.load(index_ptr + i, mask=i < n, other=-1)
    value = tl.load(table_ptr + index, mask=(index >= 0) & (index < m), other=0.0)
    tl.store(out_ptr + i, value, mask=i < n)

# expect: out-of-bounds: the load reads element [12] of `table_ptr`, which has the
"""Looks only for negative ones."""
import triton
import triton.language as tl


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n, other=-1)
    value = tl.load(table_ptr + index, mask=(index >= 0) & (i < n), other=0.0)
    tl.store(out_ptr + i, value, mask=i < n)

# expect: `out_ptr[0]` is -0.772
"""The table is copied in order; `index` says which element is wanted."""
import triton
import triton.language as tl


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n, other=-1)
    value = tl.load(table_ptr + i, mask=(i < n) & (i < m), other=0.0)
    tl.store(out_ptr + i, value, mask=i < n)

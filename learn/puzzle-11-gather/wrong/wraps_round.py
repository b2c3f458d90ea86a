# expect: `out_ptr[2]` is -0.250
"""Indices outside of the table are taken modulo its size; they are to give 0."""
import triton
import triton.language as tl


@triton.jit
def gather(table_ptr, index_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n, other=-1)
    value = tl.load(table_ptr + (index + 1000 * m) % m, mask=i < n, other=0.0)
    tl.store(out_ptr + i, value, mask=i < n)

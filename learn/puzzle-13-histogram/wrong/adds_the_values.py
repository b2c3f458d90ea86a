# expect: `counts_ptr[0]` is 0
"""The value is added to its count, instead of 1."""
import triton
import triton.language as tl


@triton.jit
def count_values(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.atomic_add(counts_ptr + x, x, mask=i < n)

# expect: `counts_ptr[0]` is 42
"""Lanes behind the end are counted as well: the atomic needs the mask."""
import triton
import triton.language as tl


@triton.jit
def count_values(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.atomic_add(counts_ptr + x, 1)

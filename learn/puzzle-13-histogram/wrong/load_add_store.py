# expect: `counts_ptr[0]` is 1
"""Two lanes with the same value load the same count, and one addition is lost; an atomic does all three steps at once."""
import triton
import triton.language as tl


@triton.jit
def count_values(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(counts_ptr + x, tl.load(counts_ptr + x, mask=i < n, other=0) + 1, mask=i < n)

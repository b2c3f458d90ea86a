# expect: `out_ptr[0]` is 1.0069
"""Every block begins at the front again: how many were kept so far is not added."""
import triton
import triton.language as tl


@triton.jit
def keep_positive(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    count = 0
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        keep = x > 0
        ones = keep.to(tl.int32)
        tl.store(out_ptr + tl.cumsum(ones, axis=0) - 1, x, mask=keep)
        count += tl.sum(ones, axis=0)
    tl.store(count_ptr, count)

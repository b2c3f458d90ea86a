# expect: `count_ptr[0]` is 32
"""All lanes of a block are counted, not only those that are kept."""
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
        tl.store(out_ptr + count + tl.cumsum(ones, axis=0) - 1, x, mask=keep)
        count += BLOCK
    tl.store(count_ptr, count)

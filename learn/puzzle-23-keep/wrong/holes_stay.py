# expect: `out_ptr[5]` is 0
"""What is kept stays in its old place, with holes between."""
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
        tl.store(out_ptr + i, x, mask=keep)
        count += tl.sum(ones, axis=0)
    tl.store(count_ptr, count)

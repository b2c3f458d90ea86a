"""Puzzle 23: the positive numbers of x, packed to the front of out; count[0] = how many. One program."""
import triton
import triton.language as tl


@triton.jit
def keep_positive(x_ptr, out_ptr, count_ptr, n, BLOCK: tl.constexpr):
    count = 0
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        # Missing lanes are 0, and 0 is not positive: they drop out by themselves.
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        keep = x > 0
        ones = keep.to(tl.int32)
        tl.store(out_ptr + count + tl.cumsum(ones, axis=0) - 1, x, mask=keep)
        count += tl.sum(ones, axis=0)
    tl.store(count_ptr, count)

# expect: `out_ptr[0, 0]` is 0.0210
"""When the maximum grows, the sum so far has to shrink by exp(old - new)."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * n
    largest = -float("inf")
    total = 0.0
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + i, mask=i < n, other=-float("inf"))
        now = tl.maximum(largest, tl.max(x, axis=0))
        total = total + tl.sum(tl.exp(x - now), axis=0)
        largest = now
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row + i, mask=i < n, other=0.0)
        tl.store(out_ptr + row + i, tl.exp(x - largest) / total, mask=i < n)

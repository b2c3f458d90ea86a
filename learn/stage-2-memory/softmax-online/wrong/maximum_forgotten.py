# expect: is 5.9
"""The logarithm of the sum is subtracted, the maximum that was taken out before is not."""
import triton
import triton.language as tl


@triton.jit
def merge(top_a, total_a, top_b, total_b):
    top = tl.maximum(top_a, top_b)
    safe = tl.where(top == -float("inf"), 0.0, top)
    return top, total_a * tl.exp(top_a - safe) + total_b * tl.exp(top_b - safe)


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, x)
        safe = tl.where(higher == -float("inf"), 0.0, higher)
        total = total * tl.exp(top - safe) + tl.exp(x - safe)
        top = higher
    row_top, row_total = tl.reduce((top, total), 0, merge)
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + row * columns + first + lanes, mask=inside).to(tl.float32)
        tl.store(out_ptr + row * columns + first + lanes, (x - tl.log(row_total)).to(tl.float16), mask=inside)

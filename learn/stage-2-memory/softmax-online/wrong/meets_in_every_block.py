# expect: keep a maximum and a sum for each lane
"""Day 14's kernel: right, but all lanes meet in every iteration."""
import triton
import triton.language as tl


@triton.jit
def log_softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    top = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), axis=0)
        top = higher
    shift = top + tl.log(total)
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + row * columns + first + lanes, mask=inside).to(tl.float32)
        tl.store(out_ptr + row * columns + first + lanes, (x - shift).to(tl.float16), mask=inside)

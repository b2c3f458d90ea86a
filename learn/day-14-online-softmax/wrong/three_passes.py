# expect: bytes were read
"""Right, and the row is read three times."""
import triton
import triton.language as tl


@triton.jit
def softmax_online(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    tops = tl.full((BLOCK,), -float("inf"), tl.float32)
    for first in range(0, columns, BLOCK):
        tops = tl.maximum(tops, tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf")))
    top = tl.max(tops, axis=0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        sums += tl.exp(tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf")) - top)
    total = tl.sum(sums, axis=0)
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + row * columns + first + lanes, mask=inside)
        tl.store(out_ptr + row * columns + first + lanes, tl.exp(x - top) / total, mask=inside)

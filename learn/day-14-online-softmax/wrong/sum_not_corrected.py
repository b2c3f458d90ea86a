# expect: `out_ptr[0, 187]` is 2.98
"""The maximum moves, the sum of the earlier blocks stays as it was."""
import triton
import triton.language as tl


@triton.jit
def softmax_online(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * columns
    out_ptr += row * columns
    lanes = tl.arange(0, BLOCK)
    top = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + first + lanes, mask=first + lanes < columns, other=-float("inf"))
        top = tl.maximum(top, tl.max(x, axis=0))
        total = total + tl.sum(tl.exp(x - top), axis=0)
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + first + lanes, mask=inside)
        tl.store(out_ptr + first + lanes, tl.exp(x - top) / total, mask=inside)

# expect: `out_ptr[0, 187]` is 0, but
"""The correction is exp(new - old) instead of exp(old - new): the sum explodes instead of shrinking."""
import triton
import triton.language as tl


@triton.jit
def softmax_online(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * columns
    out_ptr += row * columns
    lanes = tl.arange(0, BLOCK)
    top = -1e30
    total = 0.0
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + first + lanes, mask=first + lanes < columns, other=-float("inf"))
        higher = tl.maximum(top, tl.max(x, axis=0))
        if first > 0:
            total = total * tl.exp(higher - top)
        total = total + tl.sum(tl.exp(x - higher), axis=0)
        top = higher
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + first + lanes, mask=inside)
        tl.store(out_ptr + first + lanes, tl.exp(x - top) / total, mask=inside)

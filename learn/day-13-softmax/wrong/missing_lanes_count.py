# expect: is 0.015625, but 0.02 is expected
"""Missing lanes get the value of the row instead of minus infinity: they have a share in the sum."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    x = tl.load(x_ptr + row * columns + j, mask=inside, other=0.0)
    x = tl.where(inside, x - tl.max(x, axis=0), 0.0)
    e = tl.exp(x)
    tl.store(out_ptr + row * columns + j, e / tl.sum(e, axis=0), mask=inside)

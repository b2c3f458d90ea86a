# expect: bytes were written
"""Right, but the exponentials are parked in `out` and fetched again: out is written twice."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    x = tl.load(x_ptr + row * columns + j, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + j, e, mask=inside)
    tl.store(out_ptr + row * columns + j, e / tl.sum(e, axis=0), mask=inside)

# expect: is 0, but 1 is expected
"""y is never read: x is added to itself."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (triton.cdiv(n, BLOCK),)


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    tl.store(out_ptr + i, x + x, mask=inside)

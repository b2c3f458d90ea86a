# expect: written by no program
"""The grid is rounded down."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (max(n // BLOCK, 1),)


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=inside) + tl.load(y_ptr + i, mask=inside), mask=inside)

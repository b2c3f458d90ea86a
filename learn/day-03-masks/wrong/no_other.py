# expect: left undefined
"""The lane of the missing neighbour is added, and nobody has said what it holds."""
import triton
import triton.language as tl


@triton.jit
def add_neighbour(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    neighbour = tl.load(x_ptr + offsets + 1, mask=offsets + 1 < n)
    tl.store(out_ptr + offsets, x + neighbour, mask=inside)

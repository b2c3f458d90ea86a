# expect: the load reads
"""The neighbour of the last element is behind the end, and the mask of the elements lets it in."""
import triton
import triton.language as tl


@triton.jit
def add_neighbour(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    neighbour = tl.load(x_ptr + offsets + 1, mask=inside, other=0.0)
    tl.store(out_ptr + offsets, x + neighbour, mask=inside)

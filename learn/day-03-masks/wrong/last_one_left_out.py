# expect: written by no program
"""The stricter mask is used for the store too, so the last element gets no result."""
import triton
import triton.language as tl


@triton.jit
def add_neighbour(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    both = offsets + 1 < n
    x = tl.load(x_ptr + offsets, mask=both, other=0.0)
    neighbour = tl.load(x_ptr + offsets + 1, mask=both, other=0.0)
    tl.store(out_ptr + offsets, x + neighbour, mask=both)

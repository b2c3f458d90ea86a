# expect: the store writes
"""The loads are masked, the store is not: it writes behind the end of out."""
import triton
import triton.language as tl


@triton.jit
def add_neighbour(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    neighbour = tl.load(x_ptr + offsets + 1, mask=offsets + 1 < n, other=0.0)
    tl.store(out_ptr + offsets, x + neighbour)

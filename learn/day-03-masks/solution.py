"""Add the right neighbour, out[i] = x[i] + x[i + 1]; behind the last element there is 0."""
import triton
import triton.language as tl


@triton.jit
def add_neighbour(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    # The element n - 1 is inside, its neighbour n is not: each load has the mask of its own addresses. The sum uses the lane of
    # that missing neighbour, so it needs a value. The lanes beyond `inside` are not stored, so `x` needs none.
    neighbour = tl.load(x_ptr + offsets + 1, mask=offsets + 1 < n, other=0.0)
    tl.store(out_ptr + offsets, x + neighbour, mask=inside)

"""Right, but with a program for every element: all but the first few have an empty mask and do nothing."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (n,)


@triton.jit
def affine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 2 * x + 1, mask=inside)

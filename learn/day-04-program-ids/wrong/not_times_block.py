# expect: writes it too
"""Program 1 begins at element 1 instead of element BLOCK: the blocks overlap."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (triton.cdiv(n, BLOCK),)


@triton.jit
def affine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 2 * x + 1, mask=inside)

# expect: 8 blocks
"""Rounds up by adding 1 to the rounded-down quotient: one program too many where BLOCK divides n."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (n // BLOCK + 1,)


@triton.jit
def affine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 2 * x + 1, mask=inside)

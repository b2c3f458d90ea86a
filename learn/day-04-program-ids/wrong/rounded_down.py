# expect: 104 of the 1000 elements
"""`//` rounds down: the elements of the last, partial block get no program."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (n // BLOCK,)


@triton.jit
def affine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 2 * x + 1, mask=inside)

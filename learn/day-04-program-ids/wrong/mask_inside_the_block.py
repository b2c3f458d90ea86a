# expect: the load reads
"""The mask compares the place inside the block with n: it says yes everywhere."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (triton.cdiv(n, BLOCK),)


@triton.jit
def affine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    first = tl.program_id(0) * BLOCK
    inside = lanes < n
    x = tl.load(x_ptr + first + lanes, mask=inside)
    tl.store(out_ptr + first + lanes, 2 * x + 1, mask=inside)

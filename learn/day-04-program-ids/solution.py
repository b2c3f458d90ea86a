"""out[i] = 2 * x[i] + 1 for any n, a block for each program."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    # Rounded up: the last block may be a part of one, but it has elements and needs a program.
    return (triton.cdiv(n, BLOCK),)


@triton.jit
def affine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Program p begins where p blocks have ended.
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # The offsets count from the beginning of the array, and so does n.
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 2 * x + 1, mask=inside)

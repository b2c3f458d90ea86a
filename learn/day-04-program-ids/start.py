"""Day 4: out[i] = 2 * x[i] + 1 for any n, a block for each program.

The grader launches affine[grid(n, BLOCK)](x, out, n, BLOCK)."""
import triton
import triton.language as tl


def grid(n, BLOCK):
    return (1,)  # YOUR CODE: how many blocks of BLOCK elements cover n elements?


@triton.jit
def affine(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)  # YOUR CODE: the offsets of this program's own block
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, 2 * x + 1, mask=inside)

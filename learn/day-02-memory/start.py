"""Day 2: fold x in half, out[i] = x[i] + x[i + BLOCK]. x has 2 * BLOCK elements, out has BLOCK.

One program does all of it."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    # YOUR CODE: load both halves of x, add them, store the sum

# expect: out-of-bounds
"""Counts in bytes, as C programmers fear they must: four bytes an element."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    first = tl.load(x_ptr + offsets)
    second = tl.load(x_ptr + 4 * BLOCK + offsets)
    tl.store(out_ptr + offsets, first + second)

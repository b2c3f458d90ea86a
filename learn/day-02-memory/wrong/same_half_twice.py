# expect: is 0, but 16 is expected
"""The first half is added to itself."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    first = tl.load(x_ptr + offsets)
    second = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, first + second)

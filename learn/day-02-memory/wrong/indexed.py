# expect: a pointer is no array
"""A pointer is not a list: it has no elements to index, only an address to load from."""
import triton
import triton.language as tl


@triton.jit
def fold(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    first = x_ptr[offsets]
    second = x_ptr[offsets + BLOCK]
    tl.store(out_ptr + offsets, first + second)

# expect: `out_ptr[0]` is 0.9273
"""This is a copy: nothing is reversed."""
import triton
import triton.language as tl


@triton.jit
def reverse(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside), mask=inside)

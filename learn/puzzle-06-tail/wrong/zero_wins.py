# expect: `out_ptr[1]` is 0
"""Lanes behind the end are 0, which is larger than any negative number; they have to be -inf."""
import triton
import triton.language as tl


@triton.jit
def block_maximum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + tl.program_id(0), tl.max(x, axis=0))

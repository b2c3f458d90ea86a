"""out = asin(x): a function of libdevice on every element."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def asin(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    tl.store(out_ptr + offsets, libdevice.asin(x), mask=inside)

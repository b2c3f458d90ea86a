# expect: `growth_ptr[0]` is nan
"""0 / 0 is not a number; at 0 the limit, 1, has to be taken."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def functions(x_ptr, gelu_ptr, growth_ptr, n, scale, BLOCK: tl.constexpr):
    """Of y = scale * x: gelu(y) with erf, and (exp(y) - 1) / y, which is 1 where y is 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    y = scale * tl.load(x_ptr + offsets, mask=inside, other=0.0)
    gelu = 0.5 * y * (1.0 + libdevice.erf(y * 0.7071067811865476))
    divisor = tl.where(y == 0.0, 1.0, y)
    growth = libdevice.expm1(y) / y
    tl.store(gelu_ptr + offsets, gelu, mask=inside)
    tl.store(growth_ptr + offsets, growth, mask=inside)

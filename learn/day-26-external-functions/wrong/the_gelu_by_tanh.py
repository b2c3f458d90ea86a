# expect: `gelu_ptr[0]` is 0.7632
"""This is the approximation by tanh; the exact GELU, by erf, is asked for."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def functions(x_ptr, gelu_ptr, growth_ptr, n, scale, BLOCK: tl.constexpr):
    """Of y = scale * x: gelu(y) with erf, and (exp(y) - 1) / y, which is 1 where y is 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    y = scale * tl.load(x_ptr + offsets, mask=inside, other=0.0)
    gelu = 0.5 * y * (1.0 + libdevice.tanh(0.7978845608 * (y + 0.044715 * y * y * y)))
    divisor = tl.where(y == 0.0, 1.0, y)
    growth = tl.where(y == 0.0, 1.0, libdevice.expm1(y) / divisor)
    tl.store(gelu_ptr + offsets, gelu, mask=inside)
    tl.store(growth_ptr + offsets, growth, mask=inside)

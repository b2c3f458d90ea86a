# expect: `gelu_ptr[0]` is 0.8394
"""erf gets y, but the normal distribution wants y / sqrt(2)."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def functions(x_ptr, gelu_ptr, growth_ptr, n, scale, BLOCK: tl.constexpr):
    """Of y = scale * x: gelu(y) with erf, and (exp(y) - 1) / y, which is 1 where y is 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    y = scale * tl.load(x_ptr + offsets, mask=inside, other=0.0)
    gelu = 0.5 * y * (1.0 + libdevice.erf(y))
    divisor = tl.where(y == 0.0, 1.0, y)
    growth = tl.where(y == 0.0, 1.0, libdevice.expm1(y) / divisor)
    tl.store(gelu_ptr + offsets, gelu, mask=inside)
    tl.store(growth_ptr + offsets, growth, mask=inside)

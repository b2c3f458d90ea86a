"""The same in float64, where exp(y) - 1 has digits to spare; close to 0 the series."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def functions(x_ptr, gelu_ptr, growth_ptr, n, scale, BLOCK: tl.constexpr):
    for lane in range(BLOCK):
        place = tl.program_id(0) * BLOCK + lane + tl.arange(0, 1)
        y = scale.to(tl.float64) * tl.load(x_ptr + place, mask=place < n, other=0.0)
        divisor = tl.where(tl.abs(y) < 1e-3, 1.0, y)
        series = 1.0 + y / 2 + y * y / 6 + y * y * y / 24
        growth = tl.where(tl.abs(y) < 1e-3, series, (tl.exp(y) - 1.0) / divisor)
        tl.store(gelu_ptr + place, 0.5 * y * (1.0 + libdevice.erf(y * 0.7071067811865476)), mask=place < n)
        tl.store(growth_ptr + place, growth, mask=place < n)

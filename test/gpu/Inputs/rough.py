import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def rough(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.load(x + N + i)
    tl.store(y + i, libdevice.fast_sinf(a))
    tl.store(y + N + i, libdevice.fast_cosf(a))
    tl.store(y + 2 * N + i, libdevice.fast_tanf(a))
    tl.store(y + 3 * N + i, libdevice.fast_logf(a))
    tl.store(y + 4 * N + i, libdevice.fast_log2f(a))
    tl.store(y + 5 * N + i, libdevice.fast_log10f(a))
    tl.store(y + 6 * N + i, libdevice.fast_exp10f(a))
    tl.store(y + 7 * N + i, libdevice.fast_powf(a, b))
    tl.store(y + 8 * N + i, libdevice.fast_dividef(a, b))
    tl.store(y + 9 * N + i, libdevice.exp2(a))
    tl.store(y + 10 * N + i, libdevice.sqrt(a))


@triton.jit
def permuted(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, libdevice.byte_perm(tl.load(x + i), tl.load(x + N + i), tl.load(x + 2 * N + i)))

# expect: `out_ptr[0]` is 0.6613
"""It looks back (i - j) instead of ahead (i + j)."""
import triton
import triton.language as tl


@triton.jit
def convolve(x_ptr, w_ptr, out_ptr, n, taps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    for j in range(taps):
        total += tl.load(w_ptr + j) * tl.load(x_ptr + i - j, mask=(i - j >= 0) & (i < n), other=0.0)
    tl.store(out_ptr + i, total, mask=i < n)

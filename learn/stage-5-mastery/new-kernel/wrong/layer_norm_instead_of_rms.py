# expect: `out_ptr[0, 1, 1]` is 0.7290
"""The mean is taken off first; RMS norm divides by the root of the mean square alone."""
import triton
import triton.language as tl


@triton.jit
def norm_and_rotate(x_ptr, weight_ptr, cos_ptr, sin_ptr, out_ptr, heads, eps, HALF: tl.constexpr, HEADS: tl.constexpr):
    token = tl.program_id(0)
    h = tl.arange(0, HEADS)[:, None]
    i = tl.arange(0, HALF)[None, :]
    at = (token * heads + h) * 2 * HALF + i
    a = tl.load(x_ptr + at, mask=h < heads, other=0.0).to(tl.float32)
    b = tl.load(x_ptr + at + HALF, mask=h < heads, other=0.0).to(tl.float32)
    mean = ((tl.sum(a, axis=1) + tl.sum(b, axis=1)) / (2 * HALF))[:, None]
    a = a - mean
    b = b - mean
    square = (tl.sum(a * a, axis=1) + tl.sum(b * b, axis=1)) / (2 * HALF)
    rstd = 1.0 / tl.sqrt(square + eps)
    a = a * rstd[:, None] * tl.load(weight_ptr + i)
    b = b * rstd[:, None] * tl.load(weight_ptr + HALF + i)
    c = tl.load(cos_ptr + token * HALF + i)
    s = tl.load(sin_ptr + token * HALF + i)
    tl.store(out_ptr + at, (a * c - b * s).to(tl.float16), mask=h < heads)
    tl.store(out_ptr + at + HALF, (b * c + a * s).to(tl.float16), mask=h < heads)

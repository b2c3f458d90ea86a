# expect: all heads of a token share them
"""Head by head."""
import triton
import triton.language as tl


@triton.jit
def norm_and_rotate(x_ptr, weight_ptr, cos_ptr, sin_ptr, out_ptr, heads, eps, HALF: tl.constexpr, HEADS: tl.constexpr):
    token = tl.program_id(0)
    i = tl.arange(0, HALF)
    for head in range(heads):
        at = (token * heads + head) * 2 * HALF + i
        a = tl.load(x_ptr + at).to(tl.float32)
        b = tl.load(x_ptr + at + HALF).to(tl.float32)
        rstd = 1.0 / tl.sqrt((tl.sum(a * a, axis=0) + tl.sum(b * b, axis=0)) / (2 * HALF) + eps)
        a = a * rstd * tl.load(weight_ptr + i)
        b = b * rstd * tl.load(weight_ptr + HALF + i)
        c = tl.load(cos_ptr + token * HALF + i)
        s = tl.load(sin_ptr + token * HALF + i)
        tl.store(out_ptr + at, (a * c - b * s).to(tl.float16))
        tl.store(out_ptr + at + HALF, (b * c + a * s).to(tl.float16))

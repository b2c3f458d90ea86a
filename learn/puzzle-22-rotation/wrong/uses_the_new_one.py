# expect: `out_ptr[0, 1]` is -0.273
"""`a` is overwritten by its new value, which the second line takes for the old one."""
import triton
import triton.language as tl


@triton.jit
def rotate_pairs(x_ptr, angle_ptr, out_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    p = tl.arange(0, BLOCK)
    inside = p < D // 2
    a = tl.load(x_ptr + row * D + 2 * p, mask=inside, other=0.0)
    b = tl.load(x_ptr + row * D + 2 * p + 1, mask=inside, other=0.0)
    angle = tl.load(angle_ptr + row * (D // 2) + p, mask=inside, other=0.0)
    c = tl.cos(angle)
    s = tl.sin(angle)
    a = a * c - b * s
    tl.store(out_ptr + row * D + 2 * p, a, mask=inside)
    tl.store(out_ptr + row * D + 2 * p + 1, a * s + b * c, mask=inside)

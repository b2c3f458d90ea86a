"""One pair after the other."""
import triton
import triton.language as tl


@triton.jit
def rotate_pairs(x_ptr, angle_ptr, out_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for p in range(D // 2):
        a = tl.load(x_ptr + row * D + 2 * p)
        b = tl.load(x_ptr + row * D + 2 * p + 1)
        angle = tl.load(angle_ptr + row * (D // 2) + p)
        tl.store(out_ptr + row * D + 2 * p, a * tl.cos(angle) - b * tl.sin(angle))
        tl.store(out_ptr + row * D + 2 * p + 1, a * tl.sin(angle) + b * tl.cos(angle))

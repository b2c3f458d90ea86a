import triton
import triton.language as tl


@triton.jit
def product(a_ptr, b_ptr, c_ptr, NARROW: tl.constexpr, PRECISION: tl.constexpr = "tf32"):
    i = tl.arange(0, 16)
    place = i[:, None] * 16 + i[None, :]
    a = tl.load(a_ptr + place)
    if NARROW:
        a = a.to(tl.bfloat16).to(tl.float32)
    tl.store(c_ptr + place, tl.dot(a, tl.load(b_ptr + place), input_precision=PRECISION))


@triton.jit
def added_product(a_ptr, b_ptr, c_ptr):
    i = tl.arange(0, 16)
    place = i[:, None] * 16 + i[None, :]
    tl.store(c_ptr + place, tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + place), tl.load(c_ptr + place), input_precision="tf32x3"))

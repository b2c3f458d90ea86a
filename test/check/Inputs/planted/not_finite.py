"""Planted bugs: the first NaN or infinity. The comments are explained in out_of_bounds_masks.py."""
import triton
import triton.language as tl


# check: x=zeros:f32[32] y=zeros:f32[32] --grid 1 --finite
@triton.jit
def zero_by_zero(x, y):
    i = tl.arange(0, 32)
    value = tl.load(x + i)
    ratio = value / value  # bug: not-finite
    tl.store(y + i, ratio)


# check: x=full(-1):f32[32] y=zeros:f32[32] --grid 1 --finite
@triton.jit
def logarithm_of_a_negative(x, y):
    i = tl.arange(0, 32)
    value = tl.log(tl.load(x + i))  # bug: not-finite
    tl.store(y + i, value)


# check: x=full(100):f32[32] y=zeros:f32[32] --grid 1 --finite
@triton.jit
def exponential_overflows(x, y):
    i = tl.arange(0, 32)
    value = tl.exp(tl.load(x + i))  # bug: not-finite
    tl.store(y + i, value)


# check: x=full(3e38):f32[32] y=zeros:f32[1] --grid 1 --finite
@triton.jit
def sum_overflows(x, y):
    total = tl.sum(tl.load(x + tl.arange(0, 32)), axis=0)  # bug: not-finite
    tl.store(y, total)


# check: x=full(-4):f32[32] y=zeros:f32[32] --grid 1 --finite
@triton.jit
def root_of_a_negative(x, y):
    i = tl.arange(0, 32)
    value = tl.sqrt(tl.load(x + i))  # bug: not-finite
    tl.store(y + i, value)


# check: x=full(70000):f32[32] y=zeros:f16[32] --grid 1 --finite
@triton.jit
def too_large_for_half(x, y):
    i = tl.arange(0, 32)
    value = tl.load(x + i).to(tl.float16)  # bug: not-finite
    tl.store(y + i, value)


# check: x=zeros:f32[32] y=zeros:f32[32] --grid 1 --finite
@triton.jit
def one_over_the_root_of_zero(x, y):
    i = tl.arange(0, 32)
    value = tl.rsqrt(tl.load(x + i))  # bug: not-finite
    tl.store(y + i, value)


# check: x=randn:f32[2,32] y=zeros:f32[2,32] widths=arange:i32[2] --grid 2 --finite
@triton.jit
def softmax_of_an_empty_row(x, y, widths):
    row = tl.program_id(0)
    c = tl.arange(0, 32)
    width = tl.load(widths + row)
    value = tl.load(x + row * 32 + c, mask=c < width, other=float("-inf"))
    shifted = value - tl.max(value, axis=0)  # bug: not-finite
    top = tl.exp(shifted)
    tl.store(y + row * 32 + c, top / tl.sum(top, axis=0))


# check: x=full(300):f16[16,16] y=zeros:f16[16,16] --grid 1 --finite
@triton.jit
def product_overflows_half(x, y):
    r = tl.arange(0, 16)[:, None]
    c = tl.arange(0, 16)[None, :]
    tile = tl.load(x + r * 16 + c)
    square = tl.dot(tile, tile, out_dtype=tl.float16)  # bug: not-finite
    tl.store(y + r * 16 + c, square)


# check: x=full(1e30):f32[32] y=zeros:f32[32] --grid 1 --finite
@triton.jit
def square_overflows(x, y):
    i = tl.arange(0, 32)
    value = tl.load(x + i)
    square = value * value  # bug: not-finite
    tl.store(y + i, square)

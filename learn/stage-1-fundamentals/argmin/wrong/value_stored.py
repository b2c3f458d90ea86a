# expect: is 6, but 49 is expected
"""The first result is the value, the second one is the place."""
import triton
import triton.language as tl


@triton.jit
def smaller(value_a, place_a, value_b, place_b):
    takes_b = (value_b < value_a) | ((value_b == value_a) & (place_b > place_a))
    return tl.where(takes_b, value_b, value_a), tl.where(takes_b, place_b, place_a)


@triton.jit
def row_argmin(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + j, mask=j < columns, other=float("inf"))
    place, value = tl.reduce((x, j), 0, smaller)
    tl.store(out_ptr + row, place.to(tl.int32))

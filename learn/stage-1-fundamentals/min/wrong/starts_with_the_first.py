# expect: is 3, but inf is expected
"""Begins with the first element of the row, also where the row has none."""
import triton
import triton.language as tl


@triton.jit
def row_min(x_ptr, length_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    length = tl.load(length_ptr + row)
    start = tl.load(x_ptr + row * stride)
    best = tl.zeros((BLOCK,), tl.float32) + start
    for first in range(0, length, BLOCK):
        x = tl.load(x_ptr + row * stride + first + lanes, mask=first + lanes < length, other=float("inf"))
        best = tl.minimum(best, x)
    tl.store(out_ptr + row, tl.min(best, axis=0))

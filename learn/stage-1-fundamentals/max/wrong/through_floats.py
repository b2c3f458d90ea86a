# expect: is 16777216, but 16777217 is expected
"""Minus infinity is handy, so the integers are made floats: large ones lose their last digit."""
import triton
import triton.language as tl


@triton.jit
def row_max(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    for first in range(0, columns, BLOCK):
        inside = first + lanes < columns
        x = tl.load(x_ptr + row * columns + first + lanes, mask=inside, other=0).to(tl.float32)
        best = tl.maximum(best, tl.where(inside, x, -float("inf")))
    tl.store(out_ptr + row, tl.max(best, axis=0).to(tl.int32))

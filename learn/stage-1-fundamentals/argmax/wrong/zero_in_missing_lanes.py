# expect: is 50, but 0 is expected
"""Missing lanes are 0, which is more than -4, and their place lies behind the row."""
import triton
import triton.language as tl


@triton.jit
def row_argmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    place = tl.zeros((BLOCK,), tl.int32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
        better = x > best
        best = tl.where(better, x, best)
        place = tl.where(better, first + lanes, place)
    top = tl.max(best, axis=0)
    tl.store(out_ptr + row, tl.min(tl.where(best == top, place, columns + BLOCK), axis=0))

# expect: is 3, but 99 is expected
"""Remembers the lane instead of the column: the beginning of the block is missing."""
import triton
import triton.language as tl


@triton.jit
def row_argmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    place = tl.zeros((BLOCK,), tl.int32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-float("inf"))
        better = x > best
        best = tl.where(better, x, best)
        place = tl.where(better, lanes, place)
    winners = tl.where(best == tl.max(best, axis=0), place, columns)
    tl.store(out_ptr + row, tl.min(winners, axis=0))

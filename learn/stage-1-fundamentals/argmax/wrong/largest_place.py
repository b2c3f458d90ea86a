# expect: is 15, but 0 is expected
"""Of the lanes with the largest value, takes the largest place instead of the smallest."""
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
        place = tl.where(better, first + lanes, place)
    winners = tl.where(best == tl.max(best, axis=0), place, -1)
    tl.store(out_ptr + row, tl.max(winners, axis=0))

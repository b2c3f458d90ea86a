"""The column of the largest element of each row, the first of equals."""
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
        # Strictly: what is only equal came later.
        better = x > best
        best = tl.where(better, x, best)
        place = tl.where(better, first + lanes, place)
    # Lanes that do not hold the largest value get a place that loses.
    winners = tl.where(best == tl.max(best, axis=0), place, columns)
    tl.store(out_ptr + row, tl.min(winners, axis=0))

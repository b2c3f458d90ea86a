"""The smallest of the first length[row] elements of each row; +infinity where there are none."""
import triton
import triton.language as tl


@triton.jit
def row_min(x_ptr, length_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    length = tl.load(length_ptr + row)
    # What is left if the loop never runs: the minimum of nothing.
    best = tl.full((BLOCK,), float("inf"), tl.float32)
    # As many blocks as this row needs, not as many as the matrix is wide.
    for first in range(0, length, BLOCK):
        x = tl.load(x_ptr + row * stride + first + lanes, mask=first + lanes < length, other=float("inf"))
        best = tl.minimum(best, x)
    tl.store(out_ptr + row, tl.min(best, axis=0))

"""Right, but the whole row is read, padding and all, and what does not count is replaced afterwards."""
import triton
import triton.language as tl


@triton.jit
def row_min(x_ptr, length_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    length = tl.load(length_ptr + row)
    best = tl.full((BLOCK,), float("inf"), tl.float32)
    for first in range(0, stride, BLOCK):
        x = tl.load(x_ptr + row * stride + first + lanes, mask=first + lanes < stride, other=float("inf"))
        best = tl.minimum(best, tl.where(first + lanes < length, x, float("inf")))
    tl.store(out_ptr + row, tl.min(best, axis=0))

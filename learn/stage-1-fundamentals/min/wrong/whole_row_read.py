# expect: bytes were read
"""Right, with one load as wide as the matrix for every block, masked too late."""
import triton
import triton.language as tl


@triton.jit
def row_min(x_ptr, length_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    length = tl.load(length_ptr + row)
    best = float("inf")
    for first in range(0, stride, BLOCK):
        x = tl.load(x_ptr + row * stride + first + lanes, mask=first + lanes < stride, other=0.0)
        best = tl.minimum(best, tl.min(tl.where(first + lanes < length, x, float("inf")), axis=0))
    tl.store(out_ptr + row, best)

# expect: is 0, but 3 is expected
"""Missing lanes are 0, and 0 is smaller than anything positive."""
import triton
import triton.language as tl


@triton.jit
def row_min(x_ptr, length_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    length = tl.load(length_ptr + row)
    best = tl.full((BLOCK,), float("inf"), tl.float32)
    for first in range(0, length, BLOCK):
        x = tl.load(x_ptr + row * stride + first + lanes, mask=first + lanes < length, other=0.0)
        best = tl.minimum(best, x)
    tl.store(out_ptr + row, tl.min(best, axis=0))

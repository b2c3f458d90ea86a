# expect: but 99 is expected
"""The loop runs, the address does not move: every iteration reads the first block."""
import triton
import triton.language as tl


@triton.jit
def row_max(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -2147483648, tl.int32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + lanes, mask=lanes < columns, other=-2147483648)
        best = tl.maximum(best, x)
    tl.store(out_ptr + row, tl.max(best, axis=0))

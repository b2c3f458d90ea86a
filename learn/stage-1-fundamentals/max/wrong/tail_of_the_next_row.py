# expect: out-of-bounds
"""Without a mask the last block of a row reads on into the next one, and behind the last row."""
import triton
import triton.language as tl


@triton.jit
def row_max(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    best = tl.full((BLOCK,), -2147483648, tl.int32)
    for first in range(0, columns, BLOCK):
        best = tl.maximum(best, tl.load(x_ptr + row * columns + first + lanes))
    tl.store(out_ptr + row, tl.max(best, axis=0))

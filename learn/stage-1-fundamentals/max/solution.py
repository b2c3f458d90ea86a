"""The largest element of each row of int32."""
import triton
import triton.language as tl


@triton.jit
def row_max(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    # The smallest int32: it loses against everything, and so do the missing lanes.
    best = tl.full((BLOCK,), -2147483648, tl.int32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=-2147483648)
        # Lane by lane; the lanes meet once, behind the loop.
        best = tl.maximum(best, x)
    tl.store(out_ptr + row, tl.max(best, axis=0))

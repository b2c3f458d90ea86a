# expect: let `triton.autotune` choose
"""One block size for all rows, as a default value."""
import triton
import triton.language as tl


@triton.jit
def row_squares(x_ptr, out_ptr, columns, BLOCK: tl.constexpr = 1024):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
        total += x * x
    tl.store(out_ptr + row, tl.sum(total, axis=0))

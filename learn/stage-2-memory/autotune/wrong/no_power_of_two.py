# expect: power of 2
"""A block of 1000 elements, since the rows have 1000: extents of blocks are powers of two."""
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 1000}), triton.Config({"BLOCK": 500}), triton.Config({"BLOCK": 250})], key=["columns"])
@triton.jit
def row_squares(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
        total += x * x
    tl.store(out_ptr + row, tl.sum(total, axis=0))

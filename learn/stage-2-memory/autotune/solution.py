"""The sum of squares of each row; BLOCK is chosen by triton.autotune."""
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        # Small blocks for short rows, large ones with more warps for long rows: which is best is measured, not guessed.
        triton.Config({"BLOCK": 128}, num_warps=2),
        triton.Config({"BLOCK": 512}, num_warps=4),
        triton.Config({"BLOCK": 2048}, num_warps=8),
    ],
    # The number of rows does not change what is best for one row; its length does.
    key=["columns"],
)
@triton.jit
def row_squares(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_ptr + row * columns + first + lanes, mask=first + lanes < columns, other=0.0)
        total += x * x
    tl.store(out_ptr + row, tl.sum(total, axis=0))

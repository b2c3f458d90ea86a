"""Max: the largest element of each row of int32. One program a row; rows are longer than BLOCK."""
import triton
import triton.language as tl


@triton.jit
def row_max(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    # YOUR CODE: a block of maxima, a loop along the row, one tl.max at the end

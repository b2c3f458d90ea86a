"""Softmax of the rows of a matrix: one pass where a row fits into a block, an online pass where it does not."""
import triton
import triton.language as tl


@triton.jit
def softmax(out_ptr, x_ptr, out_row_stride, x_row_stride, n_rows, n_columns, BLOCK: tl.constexpr):
    """BLOCK >= n_columns. Each program takes every num_programs-th row."""
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        start = row.to(tl.int64)
        x = tl.load(x_ptr + start * x_row_stride + columns, mask=inside, other=-float("inf")).to(tl.float32)
        numerator = tl.exp(x - tl.max(x, axis=0))
        result = numerator / tl.sum(numerator, axis=0)
        tl.store(out_ptr + start * out_row_stride + columns, result.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def softmax_long(out_ptr, x_ptr, out_row_stride, x_row_stride, n_columns, BLOCK: tl.constexpr):
    """One program a row of any length: the first loop finds the maximum and the sum together, the second one writes."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    out_ptr += row * out_row_stride
    columns = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK, ), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=-float("inf")).to(tl.float32)
        now = tl.maximum(largest, x)
        # A lane that has seen nothing yet keeps a sum of 0; -inf - -inf would be NaN.
        scale = tl.where(largest == -float("inf"), 0.0, tl.exp(largest - now))
        total = total * scale + tl.where(x == -float("inf"), 0.0, tl.exp(x - now))
        largest = now
    row_largest = tl.max(largest, axis=0)
    row_total = tl.sum(tl.where(largest == -float("inf"), 0.0, total * tl.exp(largest - row_largest)), axis=0)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=-float("inf")).to(tl.float32)
        result = tl.exp(x - row_largest) / row_total
        tl.store(out_ptr + first + columns, result.to(out_ptr.dtype.element_ty), mask=inside)

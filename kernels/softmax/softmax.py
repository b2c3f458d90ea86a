"""Softmax of the rows or the columns of a matrix, in fp32 inside: in one block where a row fits, online where it does not. The gradient of that of rows."""
import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, x_row_stride, out_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """One program a row; BLOCK >= n_columns."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    result = numerator * (1 / tl.sum(numerator, axis=0))
    tl.store(out_ptr + row * out_row_stride + columns, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def softmax_online(x_ptr, out_ptr, x_row_stride, out_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """One program a row of any length: the first loop finds the maximum and the sum together, the second one writes."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    out_ptr += row * out_row_stride
    columns = tl.arange(0, BLOCK)
    largest = tl.full((), -float("inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    for first in range(0, n_columns, BLOCK):
        x = tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=-float("inf")).to(tl.float32)
        now = tl.maximum(largest, tl.max(x, axis=0))
        reference = tl.where(now == -float("inf"), 0.0, now)  # nothing but -inf so far: -inf - -inf would be NaN
        total = total * tl.exp(largest - reference) + tl.sum(tl.exp(x - reference), axis=0)
        largest = now
    scale = 1 / total
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=-float("inf")).to(tl.float32)
        result = tl.exp(x - largest) * scale
        tl.store(out_ptr + first + columns, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def softmax_columns(x_ptr, out_ptr, x_row_stride, out_row_stride, n_rows, n_columns, BLOCK_ROWS: tl.constexpr,
                    BLOCK_COLUMNS: tl.constexpr, CACHE: tl.constexpr = ""):
    """One program for each BLOCK_COLUMNS columns, which are online too: whole lines of memory are read at a time."""
    columns = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    x_ptr += columns[None, :]
    out_ptr += columns[None, :]
    largest = tl.full((BLOCK_COLUMNS, ), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_COLUMNS, ), tl.float32)
    for first in range(0, n_rows, BLOCK_ROWS):
        rows = first + tl.arange(0, BLOCK_ROWS)[:, None]
        inside = (rows < n_rows) & (columns < n_columns)[None, :]
        x = tl.load(x_ptr + rows.to(tl.int64) * x_row_stride, mask=inside, other=-float("inf")).to(tl.float32)
        now = tl.maximum(largest, tl.max(x, axis=0))
        reference = tl.where(now == -float("inf"), 0.0, now)
        total = total * tl.exp(largest - reference) + tl.sum(tl.exp(x - reference[None, :]), axis=0)
        largest = now
    scale = 1 / total
    for first in range(0, n_rows, BLOCK_ROWS):
        rows = first + tl.arange(0, BLOCK_ROWS)[:, None]
        inside = (rows < n_rows) & (columns < n_columns)[None, :]
        x = tl.load(x_ptr + rows.to(tl.int64) * x_row_stride, mask=inside, other=-float("inf")).to(tl.float32)
        result = tl.exp(x - largest[None, :]) * scale[None, :]
        tl.store(out_ptr + rows.to(tl.int64) * out_row_stride, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def softmax_backward(grad_out_ptr, out_ptr, grad_x_ptr, grad_out_row_stride, out_row_stride, grad_x_row_stride, n_columns, BLOCK: tl.constexpr,
                     CACHE: tl.constexpr = ""):
    """grad_x = out * (grad_out - sum(out * grad_out)) of rows. One program a row of any length, which is read twice."""
    row = tl.program_id(0).to(tl.int64)
    grad_out_ptr += row * grad_out_row_stride
    out_ptr += row * out_row_stride
    grad_x_ptr += row * grad_x_row_stride
    columns = tl.arange(0, BLOCK)
    along = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        out = tl.load(out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        along += out * tl.load(grad_out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
    total = tl.sum(along, axis=0)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        out = tl.load(out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        grad_out = tl.load(grad_out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        grad_x = out * (grad_out - total)
        tl.store(grad_x_ptr + first + columns, grad_x.to(grad_x_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)

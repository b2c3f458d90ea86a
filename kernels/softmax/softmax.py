"""Softmax of the rows or the columns of a matrix, in fp32 inside: in one block where a row fits, online where it does not. The gradient of that of rows. The logarithm of softmax, and sparsemax, with their gradients."""
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
def largest_and_total(x_ptr, n_columns, BLOCK: tl.constexpr):
    """Of a row of any length, in one pass: the maximum, and the sum of exp(x - maximum)."""
    columns = tl.arange(0, BLOCK)
    largest = tl.full((), -float("inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    for first in range(0, n_columns, BLOCK):
        x = tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=-float("inf")).to(tl.float32)
        now = tl.maximum(largest, tl.max(x, axis=0))
        reference = tl.where(now == -float("inf"), 0.0, now)  # nothing but -inf so far: -inf - -inf would be NaN
        total = total * tl.exp(largest - reference) + tl.sum(tl.exp(x - reference), axis=0)
        largest = now
    return largest, total


@triton.jit
def softmax_online(x_ptr, out_ptr, x_row_stride, out_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """One program a row of any length: one loop finds the maximum and the sum together, the other one writes."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    out_ptr += row * out_row_stride
    columns = tl.arange(0, BLOCK)
    largest, total = largest_and_total(x_ptr, n_columns, BLOCK)
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


@triton.jit
def log_softmax(x_ptr, out_ptr, x_row_stride, out_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out = x - log(sum(exp(x))) of rows of any length, which are read twice. One program a row."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    out_ptr += row * out_row_stride
    columns = tl.arange(0, BLOCK)
    largest, total = largest_and_total(x_ptr, n_columns, BLOCK)
    whole = largest + tl.log(total)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_ptr + first + columns, (x - whole).to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def log_softmax_backward(grad_out_ptr, out_ptr, grad_x_ptr, grad_out_row_stride, out_row_stride, grad_x_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """grad_x = grad_out - exp(out) * sum(grad_out) of rows. One program a row of any length."""
    row = tl.program_id(0).to(tl.int64)
    grad_out_ptr += row * grad_out_row_stride
    columns = tl.arange(0, BLOCK)
    along = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        along += tl.load(grad_out_ptr + first + columns, mask=first + columns < n_columns, other=0.0).to(tl.float32)
    total = tl.sum(along, axis=0)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        out = tl.load(out_ptr + row * out_row_stride + first + columns, mask=inside, other=0.0).to(tl.float32)
        grad_out = tl.load(grad_out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(grad_x_ptr + row * grad_x_row_stride + first + columns, (grad_out - tl.exp(out) * total).to(grad_x_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def sparsemax(x_ptr, out_ptr, x_row_stride, out_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out = max(x - threshold, 0) of rows, with the threshold at which a row sums to 1: the nearest point of the simplex (Martins and Astudillo). No sort: from the largest element less 1, the threshold goes up by Newton steps,
    (sum of the elements above it - 1) / their number, which end after a few since their number only falls. One program a row."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    out_ptr += row * out_row_stride
    columns = tl.arange(0, BLOCK)
    top = tl.full((BLOCK, ), -float("inf"), tl.float32)
    for first in range(0, n_columns, BLOCK):
        top = tl.maximum(top, tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=-float("inf")).to(tl.float32))
    largest = tl.max(top, axis=0)
    threshold = tl.full((), -1.0, tl.float32)  # all below: elements less the largest one, so that nothing is lost to rounding
    before = tl.full((), -2.0, tl.float32)
    while threshold > before:
        total = tl.zeros((BLOCK, ), tl.float32)
        count = tl.zeros((BLOCK, ), tl.float32)
        for first in range(0, n_columns, BLOCK):
            x = tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=-float("inf")).to(tl.float32) - largest
            above = x > threshold
            total += tl.where(above, x, 0.0)
            count += tl.where(above, 1.0, 0.0)
        before = threshold
        threshold = tl.maximum((tl.sum(total, axis=0) - 1) / tl.sum(count, axis=0), before)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32) - largest
        tl.store(out_ptr + first + columns, tl.maximum(x - threshold, 0.0).to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def sparsemax_backward(grad_out_ptr, out_ptr, grad_x_ptr, grad_out_row_stride, out_row_stride, grad_x_row_stride, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """grad_x = grad_out less its mean over the elements with out > 0, and 0 for the others. One program a row of any length."""
    row = tl.program_id(0).to(tl.int64)
    grad_out_ptr += row * grad_out_row_stride
    out_ptr += row * out_row_stride
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, ), tl.float32)
    count = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        counts = tl.load(out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32) > 0
        total += tl.where(counts, tl.load(grad_out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32), 0.0)
        count += tl.where(counts, 1.0, 0.0)
    mean = tl.sum(total, axis=0) / tl.maximum(tl.sum(count, axis=0), 1.0)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        counts = tl.load(out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32) > 0
        grad_out = tl.load(grad_out_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(grad_x_ptr + row * grad_x_row_stride + first + columns, tl.where(counts, grad_out - mean, 0.0).to(grad_x_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)

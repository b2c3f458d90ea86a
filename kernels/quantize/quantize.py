"""Matrices as int8 or fp8 with scales: x is about q * scale, where a scale belongs to the whole matrix, a row, a group of columns of a row, or a
block of rows and columns. scale = largest |x| / LARGEST, where LARGEST is 127 for int8, 448 for fp8e4nv and 57344 for fp8e5; q is x / scale
rounded to nearest, ties to even. Where all is 0, so is the scale."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def narrowed(x, scale, type: tl.constexpr, LARGEST: tl.constexpr):
    """x / scale in a narrow type; what is larger than LARGEST becomes that."""
    x = tl.where(scale == 0.0, 0.0, x / tl.where(scale == 0.0, 1.0, scale))
    x = tl.minimum(tl.maximum(x, -LARGEST), LARGEST)
    if type == tl.int8:
        x = libdevice.rint(x)
    return x.to(type)


@triton.jit
def quantize_rows(x_ptr, q_ptr, scale_ptr, x_row_stride, q_row_stride, n_columns, LARGEST: tl.constexpr, BLOCK: tl.constexpr):
    """A scale for each row, which is read twice. One program a row."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    q_ptr += row * q_row_stride
    columns = tl.arange(0, BLOCK)
    largest = tl.zeros((BLOCK, ), tl.float32)
    for first in range(0, n_columns, BLOCK):
        x = tl.load(x_ptr + first + columns, mask=first + columns < n_columns, other=0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.abs(x))
    scale = tl.div_rn(tl.max(largest, axis=0), LARGEST)
    tl.store(scale_ptr + row, scale)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(x_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(q_ptr + first + columns, narrowed(x, scale, q_ptr.dtype.element_ty, LARGEST), mask=inside)


@triton.jit
def quantize_short_rows(x_ptr, q_ptr, scale_ptr, x_row_stride, q_row_stride, n_rows, n_columns, LARGEST: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """A scale for each row of up to BLOCK columns, which is read once. ROWS rows a program."""
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    inside = (rows < n_rows)[:, None] & (columns < n_columns)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + columns[None, :], mask=inside, other=0.0).to(tl.float32)
    scale = tl.div_rn(tl.max(tl.abs(x), axis=1), LARGEST)
    tl.store(scale_ptr + rows, scale, mask=rows < n_rows)
    tl.store(q_ptr + rows[:, None] * q_row_stride + columns[None, :], narrowed(x, scale[:, None], q_ptr.dtype.element_ty, LARGEST), mask=inside)


@triton.jit
def quantize_blocks(x_ptr, q_ptr, scale_ptr, x_row_stride, q_row_stride, n_rows, n_columns, LARGEST: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr):
    """A scale for each block of BLOCK_M rows and BLOCK_N columns: scale is contiguous [blocks down, blocks across]. Grid: the same, turned."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (rows < n_rows) & (columns < n_columns)
    x = tl.load(x_ptr + rows.to(tl.int64) * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    scale = tl.div_rn(tl.max(tl.max(tl.abs(x), axis=1), axis=0), LARGEST)
    tl.store(scale_ptr + tl.program_id(1) * tl.num_programs(0) + tl.program_id(0), scale)
    tl.store(q_ptr + rows.to(tl.int64) * q_row_stride + columns, narrowed(x, scale, q_ptr.dtype.element_ty, LARGEST), mask=inside)


@triton.jit
def largest_magnitude(x_ptr, out_ptr, n, divisor, BLOCK: tl.constexpr):
    """out[p] = the largest |x| of every num_programs-th block of a vector, divided: once with many programs, then over their results with
    one, it is the scale of a whole matrix."""
    i = tl.arange(0, BLOCK)
    largest = tl.zeros((BLOCK, ), tl.float32)
    for block in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):
        at = block.to(tl.int64) * BLOCK + i
        largest = tl.maximum(largest, tl.abs(tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)))
    tl.store(out_ptr + tl.program_id(0), tl.div_rn(tl.max(largest, axis=0), divisor))


@triton.jit
def quantize_by(x_ptr, scale_ptr, q_ptr, x_row_stride, q_row_stride, scale_row_stride, n_rows, n_columns, scale_rows, scale_columns,
                LARGEST: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, HAS_ONE: tl.constexpr = False):
    """q[i, j] = x[i, j] / scale[i // scale_rows, j // scale_columns] with scales that are known; HAS_ONE: there is one for all. Grid: (blocks across, blocks down)."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (rows < n_rows) & (columns < n_columns)
    x = tl.load(x_ptr + rows.to(tl.int64) * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    if HAS_ONE:
        scale = tl.load(scale_ptr)
    else:
        scale = tl.load(scale_ptr + (rows // scale_rows).to(tl.int64) * scale_row_stride + columns // scale_columns, mask=inside, other=0.0)
    tl.store(q_ptr + rows.to(tl.int64) * q_row_stride + columns, narrowed(x, scale, q_ptr.dtype.element_ty, LARGEST), mask=inside)


@triton.jit
def dequantize_by(q_ptr, scale_ptr, out_ptr, q_row_stride, out_row_stride, scale_row_stride, n_rows, n_columns, scale_rows, scale_columns,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[i, j] = q[i, j] * scale[i // scale_rows, j // scale_columns]. Grid: (blocks across, blocks down)."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inside = (rows < n_rows) & (columns < n_columns)
    q = tl.load(q_ptr + rows.to(tl.int64) * q_row_stride + columns, mask=inside).to(tl.float32)
    scale = tl.load(scale_ptr + (rows // scale_rows).to(tl.int64) * scale_row_stride + columns // scale_columns, mask=inside, other=0.0)
    tl.store(out_ptr + rows.to(tl.int64) * out_row_stride + columns, (q * scale).to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)

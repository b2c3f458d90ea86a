"""out[…] = x[…] for arrays of up to four axes with any strides, converted to the element type of out."""
import triton
import triton.language as tl


@triton.jit
def strided_copy(x_ptr, out_ptr, n_rows, n1, n2, n3, x_stride_0, x_stride_1, x_stride_2, x_stride_3,  #
                 out_stride_0, out_stride_1, out_stride_2, out_stride_3,  #
                 BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr, CACHE: tl.constexpr = ""):
    """n_rows is the product of all extents but the last, n1 to n3 are the last three extents. Grid: (blocks of rows,
    blocks of the last axis). Best where the last stride of both sides is 1."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    columns = tl.program_id(1).to(tl.int64) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    inside = (rows[:, None] < n_rows) & (columns[None, :] < n3)
    i2 = rows % n2
    i1 = rows // n2 % n1
    i0 = rows // n2 // n1
    x_rows = i0 * x_stride_0 + i1 * x_stride_1 + i2 * x_stride_2
    out_rows = i0 * out_stride_0 + i1 * out_stride_1 + i2 * out_stride_2
    x = tl.load(x_ptr + x_rows[:, None] + columns[None, :] * x_stride_3, mask=inside)
    tl.store(out_ptr + out_rows[:, None] + columns[None, :] * out_stride_3, x.to(out_ptr.dtype.element_ty), mask=inside,
             cache_modifier=CACHE)

"""Rows of a table by their numbers, and rows added to a table by numbers: embedding with its gradient, index_select and index_add."""
import triton
import triton.language as tl


@triton.jit
def gather_rows(table_ptr, index_ptr, out_ptr, table_row_stride, n_table, n_columns, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[i] = table[index[i]]; zeros where the number is none of the table's. Grid: (numbers, blocks of columns)."""
    i = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index_ptr + i).to(tl.int64)
    inside = columns < n_columns
    x = tl.load(table_ptr + row * table_row_stride + columns, mask=inside & (row >= 0) & (row < n_table), other=0.0)
    tl.store(out_ptr + i * n_columns + columns, x, mask=inside, cache_modifier=CACHE)


@triton.jit
def clean_index(index_ptr, out_ptr, n, n_table, skipped, BLOCK: tl.constexpr):
    """out[i] = index[i] as int32; n_table where that is `skipped` or none of the table's, so that it comes last in order."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n, other=0)
    is_row = (index >= 0) & (index < n_table) & (index != skipped)
    tl.store(out_ptr + i, tl.where(is_row, index, n_table).to(tl.int32), mask=i < n)


@triton.jit
def add_rows(x_ptr, sorted_ptr, places_ptr, table_ptr, x_row_stride, table_row_stride, n, n_table, n_columns, BLOCK: tl.constexpr):
    """table[r] += the sum of all x[places[i]] with sorted[i] == r, in fp32 and in the order of i; sorted is what clean_index gives, in ascending order. A program
    whose i is the first of its number adds them all up, the others end at once. Grid: (n, blocks of columns)."""
    i = tl.program_id(0)
    row = tl.load(sorted_ptr + i).to(tl.int64)
    before = tl.load(sorted_ptr + i - 1, mask=i > 0, other=-1).to(tl.int64)
    if ((i == 0) | (before != row)) & (row < n_table):
        columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = columns < n_columns
        target = table_ptr + row * table_row_stride + columns
        total = tl.load(target, mask=inside, other=0.0).to(tl.float32)
        now = row
        while now == row:
            place = tl.load(places_ptr + i).to(tl.int64)
            total += tl.load(x_ptr + place * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
            i += 1
            now = tl.load(sorted_ptr + i, mask=i < n, other=-1).to(tl.int64)
        tl.store(target, total.to(table_ptr.dtype.element_ty), mask=inside)

"""The k largest (or smallest) elements of each row of a matrix, in order, with their columns. Value and column make one integer of 64 bits, whose order is that of
the result: the larger value first, of equal ones the first column, NaN before all others, as torch has it. A row is read once, in blocks, of which each
keeps its best K."""
import triton
import triton.language as tl


@triton.jit
def packed(x, columns, LARGEST: tl.constexpr):
    """Integers whose order is that of the results; the larger one comes first."""
    bits = tl.where(x == 0.0, 0.0, x).to(tl.int32, bitcast=True)  # -0 equals 0
    key = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    key = tl.where(x != x, 0x7FFFFFFF, key)
    if not LARGEST:
        key = ~key
    return (key.to(tl.int64) << 32) | (0x7FFFFFFF - columns).to(tl.int64)


@triton.jit
def topk_rows(x_ptr, values_ptr, columns_ptr, x_row_stride, n_columns, k, K: tl.constexpr, BLOCK: tl.constexpr, LARGEST: tl.constexpr = True):
    """values and columns are contiguous [rows, k]; K >= k and BLOCK >= K are powers of two. One program a row, which has k columns at least."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    i = tl.arange(0, BLOCK)
    least = tl.full((BLOCK, ), -0x8000000000000000, tl.int64)
    best = tl.full((K, ), -0x8000000000000000, tl.int64)
    for first in range(0, n_columns, BLOCK):
        columns = first + i
        x = tl.load(x_ptr + columns, mask=columns < n_columns, other=0.0).to(tl.float32)
        keys = tl.where(columns < n_columns, packed(x, columns, LARGEST), least)
        if tl.max(keys, axis=0) > tl.min(best, axis=0):  # else nothing of the block is among the best
            best = tl.topk(tl.join(best, tl.topk(keys, K)).reshape(2 * K), K)
    place = tl.arange(0, K)
    column = 0x7FFFFFFF - (best & 0x7FFFFFFF).to(tl.int32)
    inside = place < k
    tl.store(columns_ptr + row * k + place, column.to(columns_ptr.dtype.element_ty), mask=inside)
    tl.store(values_ptr + row * k + place, tl.load(x_ptr + column, mask=inside), mask=inside)

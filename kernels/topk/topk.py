"""The k largest (or smallest) elements of each row of a matrix, in order, with their columns. Value and column make one integer of 64 bits, whose order is that of
the result: the larger value first, of equal ones the first column, NaN before all others, as torch has it. A row is read once: in blocks, of which each
keeps its best K, or whole, where counting finds the k-th value and only the best are put in order."""
import triton
import triton.language as tl


@triton.jit
def keys_of(x, LARGEST: tl.constexpr):
    """Integers in the order of the values; the larger one comes first."""
    bits = tl.where(x == 0.0, 0.0, x).to(tl.int32, bitcast=True)  # -0 equals 0
    key = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    key = tl.where(x != x, 0x7FFFFFFF, key)
    if not LARGEST:
        key = ~key
    return key


@triton.jit
def packed(x, columns, LARGEST: tl.constexpr):
    """Integers whose order is that of the results; the larger one comes first."""
    return (keys_of(x, LARGEST).to(tl.int64) << 32) | (0x7FFFFFFF - columns).to(tl.int64)


@triton.jit
def store_best(x_ptr, values_ptr, columns_ptr, best, k, K: tl.constexpr):
    """`best`, packed and in order; pointers are those of a row."""
    place = tl.arange(0, K)
    column = 0x7FFFFFFF - (best & 0x7FFFFFFF).to(tl.int32)
    inside = place < k
    tl.store(columns_ptr + place, column.to(columns_ptr.dtype.element_ty), mask=inside)
    tl.store(values_ptr + place, tl.load(x_ptr + column, mask=inside), mask=inside)


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
    store_best(x_ptr, values_ptr + row * k, columns_ptr + row * k, best, k, K)


@triton.jit
def kth_key(keys, k):
    """(the largest t that at least k keys are not below, or one that exactly k are not below; how many are larger than it): bit by bit, as far as needed."""
    t = tl.where(tl.sum((keys >= 0).to(tl.int32), axis=0) >= k, 0, -0x80000000)
    bit = tl.full((), 1 << 30, tl.int32)
    while bit > 0:
        count = tl.sum((keys >= (t | bit)).to(tl.int32), axis=0)
        t = tl.where(count >= k, t | bit, t)
        bit = tl.where(count == k, 0, bit >> 1)
    return t, tl.sum((keys > t).to(tl.int32), axis=0)


@triton.jit
def topk_rows_by_count(x_ptr, values_ptr, columns_ptr, x_row_stride, n_columns, k, K: tl.constexpr, BLOCK: tl.constexpr, LARGEST: tl.constexpr = True):
    """The same for rows of up to BLOCK columns, at most 32768."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_row_stride
    columns_ptr += row * k
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    keys = keys_of(tl.load(x_ptr + columns, mask=inside, other=0.0).to(tl.float32), LARGEST)
    keys = tl.where(inside, keys, -0x80000000)
    t, larger = kth_key(keys, k)
    # How many up to each column are larger, and how many equal: of these the first are taken.
    is_larger, is_equal = keys > t, (keys == t) & inside
    both = tl.cumsum(is_larger.to(tl.int32) + (is_equal.to(tl.int32) << 16), axis=0)
    equal = both >> 16
    place = (both & 0xFFFF) + tl.minimum(equal, k - larger) - 1
    tl.store(columns_ptr + place, columns.to(columns_ptr.dtype.element_ty), mask=is_larger | (is_equal & (equal <= k - larger)))
    tl.debug_barrier()
    i = tl.arange(0, K)
    found = tl.load(columns_ptr + i, mask=i < k, other=0).to(tl.int32)
    best = packed(tl.load(x_ptr + found, mask=i < k, other=0.0).to(tl.float32), found, LARGEST)
    best = tl.sort(tl.where(i < k, best, -0x8000000000000000), descending=True)
    store_best(x_ptr, values_ptr + row * k, columns_ptr, best, k, K)

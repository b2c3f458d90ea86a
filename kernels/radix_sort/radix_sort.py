"""A stable sort of a vector with the places that its elements came from, four bits of the keys a pass. Each program counts the digits of its chunk; then an element's place is
the number of smaller digits, plus those equal to its own in the chunks before, plus those before it in its own. No atomics: the order of equal keys stays, on
every run. Keys are int32, int64 or fp32 (-0 before 0, NaN by its bits)."""
import triton
import triton.language as tl


@triton.jit
def load_digits(keys_ptr, i, last, shift, TOP: tl.constexpr, DESCENDING: tl.constexpr):
    """(digits of some keys, 16 past the end; the keys). TOP: the digit with the sign."""
    keys = tl.load(keys_ptr + i, mask=i < last, other=0)
    ordered = keys
    if keys_ptr.dtype.element_ty == tl.float32:
        bits = keys.to(tl.int32, bitcast=True)
        ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    digits = ((ordered >> shift) & 15).to(tl.int32)
    if TOP:
        digits = digits ^ 8
    if DESCENDING:
        digits = 15 - digits
    return tl.where(i < last, digits, 16), keys


@triton.jit
def packed_digits(digits):
    """[keys, 4]: a one in the 16 bits of each key's digit, four digits in a number; so 16 sums, or running sums, of up to 65535 ones are four."""
    word = tl.arange(0, 4)
    one = tl.full((1, 1), 1, tl.int64) << ((digits & 3) * 16).to(tl.int64)[:, None]
    return tl.where((digits >> 2)[:, None] == word[None, :], one, 0)


@triton.jit
def unpacked_sums(words):
    """[16] from [4]."""
    return tl.reshape((words[:, None] >> (tl.arange(0, 4) * 16).to(tl.int64)[None, :]) & 0xFFFF, (16, )).to(tl.int32)


@triton.jit
def radix_count(keys_ptr, counts_ptr, n, chunk, shift, TOP: tl.constexpr, DESCENDING: tl.constexpr, BLOCK: tl.constexpr):
    """counts[p, d]: how many of the keys p * chunk … have the digit d. chunk is a multiple of BLOCK, which is 65535 at most."""
    digit = tl.arange(0, 16)
    start = tl.program_id(0) * chunk
    last = tl.minimum(start + chunk, n)
    total = tl.zeros((16, ), tl.int32)
    for first in range(start, last, BLOCK):
        digits, _ = load_digits(keys_ptr, first + tl.arange(0, BLOCK), last, shift, TOP, DESCENDING)
        total += unpacked_sums(tl.sum(packed_digits(digits), axis=0))
    tl.store(counts_ptr + tl.program_id(0) * 16 + digit, total)


@triton.jit
def radix_scatter(keys_ptr, places_ptr, counts_ptr, out_keys_ptr, out_places_ptr, n, chunk, shift, TOP: tl.constexpr, DESCENDING: tl.constexpr,
                  BLOCK: tl.constexpr, BLOCK_P: tl.constexpr):
    """Keys and places in the order of one digit; places None means 0, 1, 2, … The grid of radix_count. Where all keys have one digit (small numbers have no high ones), all stay where they are."""
    digit = tl.arange(0, 16)
    program = tl.program_id(0)
    before = tl.zeros((16, ), tl.int32)
    total = tl.zeros((16, ), tl.int32)
    for first in range(0, tl.num_programs(0), BLOCK_P):
        programs = first + tl.arange(0, BLOCK_P)
        counts = tl.load(counts_ptr + programs[:, None] * 16 + digit[None, :], mask=(programs < tl.num_programs(0))[:, None], other=0)
        total += tl.sum(counts, axis=0)
        before += tl.sum(tl.where((programs < program)[:, None], counts, 0), axis=0)
    next_place = tl.cumsum(total, axis=0) - total + before
    has_one_digit = tl.max(total, axis=0) == n
    start = program * chunk
    last = tl.minimum(start + chunk, n)
    for first in range(start, last, BLOCK):
        i = first + tl.arange(0, BLOCK)
        digits, keys = load_digits(keys_ptr, i, last, shift, TOP, DESCENDING)
        target = i
        if not has_one_digit:
            here = packed_digits(digits)
            words = tl.sum(tl.where(here != 0, tl.cumsum(here, axis=0), 0), axis=1)
            rank = ((words >> ((digits & 3) * 16).to(tl.int64)) & 0xFFFF).to(tl.int32) - 1
            target = tl.gather(next_place, tl.minimum(digits, 15), axis=0) + rank
            next_place += unpacked_sums(tl.sum(here, axis=0))
        tl.store(out_keys_ptr + target, keys, mask=i < last)
        if places_ptr is None:
            places = i
        else:
            places = tl.load(places_ptr + i, mask=i < last, other=0)
        tl.store(out_places_ptr + target, places.to(out_places_ptr.dtype.element_ty), mask=i < last)


@triton.jit
def rows_of_places(places_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    """out[i] = the row that a place of [rows, columns] lies in: what the sorted elements of all rows are sorted by once more, so that each row is together again and in order. BLOCK a program."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(places_ptr + i, mask=i < n, other=0) // columns, mask=i < n)


@triton.jit
def take_rows_in_order(keys_ptr, places_ptr, order_ptr, values_ptr, columns_ptr, n, columns, BLOCK: tl.constexpr):
    """values[i] = keys[p] and columns[i] = the column of p, for p = places[order[i]]. BLOCK a program."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    order = tl.load(order_ptr + i, mask=i < n, other=0)
    place = tl.load(places_ptr + order, mask=i < n, other=0)
    tl.store(values_ptr + i, tl.load(keys_ptr + place, mask=i < n, other=0), mask=i < n)
    tl.store(columns_ptr + i, (place % columns).to(columns_ptr.dtype.element_ty), mask=i < n)

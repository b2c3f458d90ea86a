"""A stable sort of a vector with the places that its elements came from, four bits of the keys a pass. Each program counts the digits of its chunk; then an element's place is
the number of smaller digits, plus those equal to its own in the chunks before, plus those before it in its own. No atomics: the order of equal keys stays, on
every run. Keys are integers, or floats of 16 to 64 bits, in the order of torch and numpy: -0 equals 0, and NaN is above all numbers."""
import triton
import triton.language as tl


@triton.jit
def in_order_of_bits(keys):
    """Integers that are in the order of the keys."""
    if keys.dtype.is_floating():
        WIDTH: tl.constexpr = keys.dtype.primitive_bitwidth
        MOST: tl.constexpr = 2**(WIDTH - 1) - 1
        bits = keys.to(tl.int16 if WIDTH == 16 else tl.int32 if WIDTH == 32 else tl.int64, bitcast=True)
        bits = tl.where(keys == 0, 0, bits ^ ((bits >> (WIDTH - 1)) & MOST))
        return tl.where(keys == keys, bits, MOST)
    else:
        return keys


@triton.jit
def load_digits(keys_ptr, i, n, shift, TOP: tl.constexpr, DESCENDING: tl.constexpr):
    """(digits of some keys, 16 past the end; the keys). TOP: the digit with the sign."""
    keys = tl.load(keys_ptr + i, mask=i < n, other=0)
    ordered = in_order_of_bits(keys)
    digits = ((ordered >> shift) & 15).to(tl.int32)
    if TOP and not ordered.dtype.is_int_unsigned():
        digits = digits ^ 8
    if DESCENDING:
        digits = 15 - digits
    return tl.where(i < n, digits, 16), keys


@triton.jit
def elements(first, BLOCK: tl.constexpr):
    """BLOCK numbers from `first` on, in lines of up to 128."""
    LINE: tl.constexpr = min(BLOCK, 128)
    return first + tl.arange(0, BLOCK // LINE)[:, None] * LINE + tl.arange(0, LINE)[None, :]


@triton.jit
def ones(digits, WORD: tl.constexpr):
    """A one in the eight bits of each key's digit, for four of the sixteen: sums along a line, and running sums, are those of four counters at once."""
    return tl.where((digits >> 2) == WORD, 1 << ((digits & 3) * 8), 0)


@triton.jit
def counts_of_lines(digits):
    """[lines, 16]: how many keys of each line have each digit."""
    word = tl.arange(0, 4)[None, :]
    words = tl.where(word == 0, tl.sum(ones(digits, 0), axis=1)[:, None], tl.sum(ones(digits, 1), axis=1)[:, None])
    words = tl.where(word >= 2, tl.where(word == 2, tl.sum(ones(digits, 2), axis=1)[:, None], tl.sum(ones(digits, 3), axis=1)[:, None]), words)
    return tl.reshape((words[:, :, None] >> (tl.arange(0, 4) * 8)[None, None, :]) & 255, (digits.shape[0], 16))


@triton.jit
def ranks_in_lines(digits):
    """How many keys of its line, up to a key and with it, have its digit."""
    rank = tl.zeros_like(digits)
    for word in tl.static_range(4):
        rank += tl.where((digits >> 2) == word, tl.cumsum(ones(digits, word), axis=1), 0)
    return (rank >> ((digits & 3) * 8)) & 255


@triton.jit
def radix_count(keys_ptr, counts_ptr, n, chunk, shift, TOP: tl.constexpr, DESCENDING: tl.constexpr, BLOCK: tl.constexpr):
    """counts[p, d]: how many of the keys p * chunk … have the digit d. chunk is a multiple of BLOCK."""
    digit = tl.arange(0, 16)
    start = tl.program_id(0) * chunk
    last = tl.minimum(start + chunk, n)
    total = tl.zeros((16, ), tl.int32)
    for first in range(start, last, BLOCK):
        digits, _ = load_digits(keys_ptr, elements(first, BLOCK), n, shift, TOP, DESCENDING)
        total += tl.sum(counts_of_lines(digits), axis=0)
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
        i = elements(first, BLOCK)
        digits, keys = load_digits(keys_ptr, i, n, shift, TOP, DESCENDING)
        if places_ptr is None:
            places = i
        else:
            places = tl.load(places_ptr + i, mask=i < n, other=0)
        target = i
        if not has_one_digit:
            counts = counts_of_lines(digits)
            of_lines = next_place[None, :] + tl.cumsum(counts, axis=0) - counts
            target = tl.gather(of_lines, tl.minimum(digits, 15), axis=1) + ranks_in_lines(digits) - 1
            next_place += tl.sum(counts, axis=0)
        tl.store(out_keys_ptr + target, keys, mask=i < n)
        tl.store(out_places_ptr + target, places.to(out_places_ptr.dtype.element_ty), mask=i < n)


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

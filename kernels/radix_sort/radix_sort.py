"""A stable sort of a vector with the places that its elements came from, BITS of the keys a pass, up to 8. Each program counts the digits of its chunk, the counts of all chunks become sums of those before, and then an element's place is
the number of smaller digits, plus those equal to its own in the chunks before, plus those before it in its own. On a GPU a block of a chunk is sorted by its digits first, so that neighbours go to
neighbouring places. No atomics in memory: the order of equal keys stays, on every run. Keys are int32, int64 or fp32 (-0 before 0, NaN by its bits)."""
import triton
import triton.language as tl

PLACE_BITS = tl.constexpr(16)  # of a place in a block, below its digit


@triton.jit
def load_digits(keys_ptr, i, n, shift, BITS: tl.constexpr, TOP: tl.constexpr, DESCENDING: tl.constexpr):
    """(digits of some keys, the keys). TOP: the digit with the sign."""
    keys = tl.load(keys_ptr + i, mask=i < n, other=0)
    ordered = keys
    if keys_ptr.dtype.element_ty == tl.float32:
        bits = keys.to(tl.int32, bitcast=True)
        ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    digits = ((ordered >> shift) & ((1 << BITS) - 1)).to(tl.int32)
    if TOP:
        digits = digits ^ (1 << (BITS - 1))
    if DESCENDING:
        digits = ((1 << BITS) - 1) - digits
    return digits, keys


@triton.jit
def radix_count(keys_ptr, counts_ptr, n, chunk, shift, BITS: tl.constexpr, TOP: tl.constexpr, DESCENDING: tl.constexpr, BLOCK: tl.constexpr):
    """counts[p, d]: how many of the keys p * chunk … have the digit d. chunk is a multiple of BLOCK."""
    digit = tl.arange(0, 1 << BITS)
    start = tl.program_id(0) * chunk
    total = tl.zeros((1 << BITS, ), tl.int32)
    for first in range(start, tl.minimum(start + chunk, n), BLOCK):
        i = first + tl.arange(0, BLOCK)
        digits, _ = load_digits(keys_ptr, i, n, shift, BITS, TOP, DESCENDING)
        total += tl.histogram(digits, 1 << BITS, mask=i < n)
    tl.store(counts_ptr + (tl.program_id(0) << BITS) + digit, total)


@triton.jit
def radix_offsets(counts_ptr, offsets_ptr, chunks, BITS: tl.constexpr, DIGITS: tl.constexpr, BLOCK: tl.constexpr):
    """offsets[p, d]: the sum of counts[…, d] of the chunks before p; for p = chunks it is that of all. Grid: (digits / DIGITS)."""
    digit = tl.program_id(0) * DIGITS + tl.arange(0, DIGITS)[None, :]
    before = tl.zeros((1, DIGITS), tl.int32)
    for first in range(0, chunks, BLOCK):
        chunk = first + tl.arange(0, BLOCK)[:, None]
        counts = tl.load(counts_ptr + (chunk << BITS) + digit, mask=chunk < chunks, other=0)
        tl.store(offsets_ptr + (chunk << BITS) + digit, before + tl.cumsum(counts, axis=0) - counts, mask=chunk < chunks)
        before += tl.sum(counts, axis=0, keep_dims=True)
    tl.store(offsets_ptr + (chunks << BITS) + digit, before)


@triton.jit
def radix_scatter(keys_ptr, places_ptr, offsets_ptr, out_keys_ptr, out_places_ptr, n, chunk, shift, BITS: tl.constexpr, TOP: tl.constexpr, DESCENDING: tl.constexpr, BLOCK: tl.constexpr):
    """Keys and places in the order of one digit; places None means 0, 1, 2, … The grid of radix_count, behind radix_offsets. Where all keys have one digit (small numbers have no high ones), all stay where they are. BLOCK is at most 2^16."""
    BINS: tl.constexpr = 1 << BITS
    digit = tl.arange(0, BINS)
    all_of_digit = tl.load(offsets_ptr + (tl.num_programs(0) << BITS) + digit)
    has_one_digit = tl.max(all_of_digit, axis=0) == n
    next_place = tl.load(offsets_ptr + (tl.program_id(0) << BITS) + digit) + tl.cumsum(all_of_digit, axis=0) - all_of_digit
    start = tl.program_id(0) * chunk
    local = tl.arange(0, BLOCK)
    for first in range(start, tl.minimum(start + chunk, n), BLOCK):
        i = first + local
        digits, keys = load_digits(keys_ptr, i, n, shift, BITS, TOP, DESCENDING)
        if places_ptr is None:
            places = i
        else:
            places = tl.load(places_ptr + i, mask=i < n, other=0)
        target = i
        if not has_one_digit:
            # What is past the end comes last.
            in_order = tl.sort((tl.where(i < n, digits, BINS) << PLACE_BITS) | local)
            source = in_order & ((1 << PLACE_BITS) - 1)
            keys = tl.gather(keys, source, 0)
            places = tl.gather(places, source, 0)
            counts = tl.histogram(digits, BINS, mask=i < n)
            target = local + tl.gather(next_place - (tl.cumsum(counts, axis=0) - counts), tl.minimum(in_order >> PLACE_BITS, BINS - 1), 0)
            next_place += counts
        tl.store(out_keys_ptr + target, keys, mask=i < n)
        tl.store(out_places_ptr + target, places.to(out_places_ptr.dtype.element_ty), mask=i < n)


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
def radix_scatter_by_rank(keys_ptr, places_ptr, offsets_ptr, out_keys_ptr, out_places_ptr, n, chunk, shift, TOP: tl.constexpr, DESCENDING: tl.constexpr, BLOCK: tl.constexpr):
    """radix_scatter of four bits, for processors: each key goes to its place from where it stands, by the number of its digit before it."""
    digit = tl.arange(0, 16)
    all_of_digit = tl.load(offsets_ptr + tl.num_programs(0) * 16 + digit)
    has_one_digit = tl.max(all_of_digit, axis=0) == n
    next_place = tl.load(offsets_ptr + tl.program_id(0) * 16 + digit) + tl.cumsum(all_of_digit, axis=0) - all_of_digit
    start = tl.program_id(0) * chunk
    for first in range(start, tl.minimum(start + chunk, n), BLOCK):
        i = elements(first, BLOCK)
        digits, keys = load_digits(keys_ptr, i, n, shift, 4, TOP, DESCENDING)
        digits = tl.where(i < n, digits, 16)
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

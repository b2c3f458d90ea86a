"""Drawing a token for each row of logits: temperature, min-p, top-k and top-p (in this order), and a draw by a seed alone.

All three filters keep what is at least as large as some logit, so that nothing is sorted: a search over the values in float order finds the
threshold, eight candidates in each pass over the row, or with top-k over the few logits that may be kept. Equal logits are kept or dropped together. The draw is the largest of logit /
temperature plus Gumbel noise, which has the distribution of softmax(logits / temperature) over what is kept."""
import triton
import triton.language as tl

LOWEST = tl.constexpr(-2139095041)  # the key of -inf


@triton.jit
def key_of(x):
    """Integers in the order of the floats."""
    bits = tl.where(x == 0.0, 0.0, x).to(tl.int32, bitcast=True)  # -0 equals 0
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


@triton.jit
def lines_of(first, SPAN: tl.constexpr, BLOCK: tl.constexpr):
    """SPAN lines of BLOCK columns from `first` on."""
    return first + tl.arange(0, SPAN)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]


@triton.jit
def largest_of_lanes(logits_ptr, n_columns, SPAN: tl.constexpr, BLOCK: tl.constexpr):
    """The largest of every BLOCK-th logit: BLOCK of them."""
    largest = tl.full((SPAN, BLOCK), -float("inf"), tl.float32)
    for first in range(0, n_columns, SPAN * BLOCK):
        columns = lines_of(first, SPAN, BLOCK)
        x = tl.load(logits_ptr + columns, mask=columns < n_columns, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, x)
    return tl.max(largest, axis=0)


@triton.jit
def gather_from(logits_ptr, n_columns, low, out_ptr, SPAN: tl.constexpr, BLOCK: tl.constexpr):
    """Logits that are not below a key, to out; how many there are. Only the first BLOCK are written."""
    count = tl.full((), 0, tl.int32)
    for first in range(0, n_columns, SPAN * BLOCK):
        columns = lines_of(first, SPAN, BLOCK)
        inside = columns < n_columns
        x = tl.load(logits_ptr + columns, mask=inside, other=0.0)
        is_taken = inside & (key_of(x.to(tl.float32)).to(tl.int64) >= low)
        taken = is_taken.to(tl.int32)
        of_lanes = tl.sum(taken, axis=0)
        place = count + (tl.cumsum(of_lanes, axis=0) - of_lanes)[None, :] + tl.cumsum(taken, axis=0) - 1
        tl.store(out_ptr + place, x, mask=is_taken & (place < BLOCK))
        count += tl.sum(of_lanes, axis=0)
    return count


@triton.jit
def amount(logits_ptr, n_columns, keys, largest, factor, MASS: tl.constexpr, BLOCK: tl.constexpr):
    """For each of some keys: how many logits are not below it, or with MASS, the sum of their exp((x - largest) * factor)."""
    columns = tl.arange(0, BLOCK)
    total = tl.zeros((keys.shape[0], BLOCK), tl.float32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(logits_ptr + first + columns, mask=inside, other=-float("inf")).to(tl.float32)
        if MASS:
            weight = tl.exp((x - largest) * factor)
        else:
            weight = tl.where(inside, 1.0, 0.0)
        total += tl.where(key_of(x).to(tl.int64)[None, :] >= keys[:, None], weight[None, :], 0.0)
    return tl.sum(total, axis=1)


@triton.jit
def raised(low, target, logits_ptr, n_columns, largest, factor, MASS: tl.constexpr, BLOCK: tl.constexpr):
    """The largest key that still has the amount `target` not below it, or `low`."""
    high = tl.maximum(key_of(largest).to(tl.int64), low)
    steps = tl.arange(0, 8).to(tl.int64) + 1
    while low < high:
        keys = low + ((high - low) * steps + 7) // 8
        is_enough = amount(logits_ptr, n_columns, keys, largest, factor, MASS, BLOCK) >= target
        next_high = tl.min(tl.where(is_enough, high, keys - 1), axis=0)
        low = tl.max(tl.where(is_enough, keys, low), axis=0)
        high = tl.maximum(next_high, low)
    return low


@triton.jit
def threshold_of_row(logits_ptr, candidates_ptr, n_columns, lanes, largest, factor, top_k, top_p, min_p, SPAN: tl.constexpr, BLOCK: tl.constexpr):
    """The key of the smallest logit that is kept. factor is 1 / temperature; top_k 0, top_p 1 and min_p 0 keep all. As many of the lanes' largest as are to be kept are a bound from below: what is not below it are a few candidates, of which
    one pass over the row takes a copy, and among which the rest is decided."""
    low = tl.full((), LOWEST, tl.int64)
    if min_p > 0:
        low = tl.maximum(low, key_of(largest + tl.log(min_p) / factor).to(tl.int64))
    count = n_columns
    if (top_k > 0) & (top_k < n_columns):
        if candidates_ptr is not None:
            if (top_k <= BLOCK) & (n_columns > BLOCK):
                tl.store(candidates_ptr + tl.arange(0, BLOCK), lanes.to(candidates_ptr.dtype.element_ty))
                tl.debug_barrier()
                bound = raised(low, top_k.to(tl.float32), candidates_ptr, BLOCK, largest, factor, False, BLOCK)
                found = gather_from(logits_ptr, n_columns, bound, candidates_ptr + BLOCK, SPAN, BLOCK)
                tl.debug_barrier()
                if found <= BLOCK:
                    logits_ptr = candidates_ptr + BLOCK
                    count = found
        low = raised(low, top_k.to(tl.float32), logits_ptr, count, largest, factor, False, BLOCK)
    if top_p < 1:
        everything = tl.max(amount(logits_ptr, count, tl.full((1, ), 0, tl.int64) + low, largest, factor, True, BLOCK), axis=0)
        low = raised(low, top_p * everything, logits_ptr, count, largest, factor, True, BLOCK)
    return low


@triton.jit
def parameter(pointer, row, default: tl.constexpr):
    """One number a row, or the default if there is no array."""
    if pointer is None:
        return default
    else:
        return tl.load(pointer + row)


@triton.jit
def filter_row(logits_ptr, row, n_columns, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, candidates_ptr, SPAN: tl.constexpr, BLOCK: tl.constexpr):
    """(1 / temperature, key of the smallest logit that is kept) of a row; a temperature of 0 keeps the largest ones."""
    lanes = largest_of_lanes(logits_ptr, n_columns, SPAN, BLOCK)
    largest = tl.max(lanes, axis=0)
    temperature = tl.full((), 1.0, tl.float32) * parameter(temperature_ptr, row, 1.0)
    factor = 1 / tl.where(temperature == 0.0, 1.0, temperature)
    low = tl.full((), LOWEST, tl.int64)
    if temperature == 0.0:
        low = key_of(largest).to(tl.int64)
    elif (top_k_ptr is not None) | (top_p_ptr is not None) | (min_p_ptr is not None):
        top_k = tl.full((), 0, tl.int32) + parameter(top_k_ptr, row, 0)
        top_p = tl.full((), 0.0, tl.float32) + parameter(top_p_ptr, row, 1.0)
        min_p = tl.full((), 0.0, tl.float32) + parameter(min_p_ptr, row, 0.0)
        if candidates_ptr is not None:
            candidates_ptr += row * (2 * BLOCK)
        low = threshold_of_row(logits_ptr, candidates_ptr, n_columns, lanes, largest, factor, top_k, top_p, min_p, SPAN, BLOCK)
    return factor, low, temperature == 0.0


@triton.jit
def filter_logits(logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, candidates_ptr, out_ptr, logits_row_stride, out_row_stride, n_columns,
                  SPAN: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[i] = logits[i] / temperature[i], and -inf for what the filters drop. One program a row. temperature, top_p and min_p are fp32,
    top_k int32, one number a row each, or None. A temperature of 0 counts as 1, and keeps the largest. candidates, [rows, 2 * BLOCK] of the
    type of the logits, is for the search of top_k; None: it reads the row instead. SPAN * BLOCK logits are read at a time."""
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * logits_row_stride
    out_ptr += row * out_row_stride
    factor, low, is_greedy = filter_row(logits_ptr, row, n_columns, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, candidates_ptr, SPAN, BLOCK)
    for first in range(0, n_columns, SPAN * BLOCK):
        columns = lines_of(first, SPAN, BLOCK)
        inside = columns < n_columns
        x = tl.load(logits_ptr + columns, mask=inside, other=0.0).to(tl.float32)
        result = tl.where(key_of(x).to(tl.int64) >= low, x * factor, -float("inf"))
        tl.store(out_ptr + columns, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def sample(logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, candidates_ptr, seeds_ptr, out_ptr, logits_row_stride, n_columns, SPAN: tl.constexpr, BLOCK: tl.constexpr,
           PROBABILITIES: tl.constexpr = False):
    """out[i] is a column of row i. One program a row; parameters as filter_logits has them, seeds are int64. A temperature of 0 takes the
    first of the largest logits. PROBABILITIES: the rows are weights, drawn from as they are (no filters then)."""
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * logits_row_stride
    seed = tl.load(seeds_ptr + row)
    if PROBABILITIES:
        low = tl.full((), LOWEST, tl.int64)
        is_greedy = row < 0
        factor = tl.full((), 1.0, tl.float32)
    else:
        factor, low, is_greedy = filter_row(logits_ptr, row, n_columns, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, candidates_ptr, SPAN, BLOCK)
    columns = tl.arange(0, BLOCK)
    best = tl.full((BLOCK, ), -float("inf"), tl.float32)
    place = tl.full((BLOCK, ), 0, tl.int32)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(logits_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        if PROBABILITIES:
            x = tl.log(x)
        noise = -tl.log(-tl.log(tl.rand(seed, first + columns)))
        value = x * factor + tl.where(is_greedy, 0.0, noise)
        better = inside & (key_of(x).to(tl.int64) >= low) & (value > best)
        best = tl.where(better, value, best)
        place = tl.where(better, first + columns, place)
    winner = tl.max(best, axis=0)
    tl.store(out_ptr + row, tl.min(tl.where(best == winner, place, n_columns), axis=0).to(out_ptr.dtype.element_ty))

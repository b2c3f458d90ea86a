"""Drawing a token for each row of logits: temperature, min-p, top-k and top-p (in this order), and a draw by a seed alone.

All three filters keep what is at least as large as some logit, so that nothing is sorted: a search over the values in float order finds the
threshold, eight candidates in each pass over the row. Equal logits are kept or dropped together. The draw is the largest of logit /
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
def largest_of_row(logits_ptr, n_columns, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    largest = tl.full((BLOCK, ), -float("inf"), tl.float32)
    for first in range(0, n_columns, BLOCK):
        x = tl.load(logits_ptr + first + columns, mask=first + columns < n_columns, other=-float("inf")).to(tl.float32)
        largest = tl.maximum(largest, x)
    return tl.max(largest, axis=0)


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
def threshold_of_row(logits_ptr, n_columns, largest, factor, top_k, top_p, min_p, BLOCK: tl.constexpr):
    """The key of the smallest logit that is kept. factor is 1 / temperature; top_k 0, top_p 1 and min_p 0 keep all."""
    low = tl.full((), LOWEST, tl.int64)
    if min_p > 0:
        low = tl.maximum(low, key_of(largest + tl.log(min_p) / factor).to(tl.int64))
    if (top_k > 0) & (top_k < n_columns):
        low = raised(low, top_k.to(tl.float32), logits_ptr, n_columns, largest, factor, False, BLOCK)
    if top_p < 1:
        everything = tl.max(amount(logits_ptr, n_columns, tl.full((1, ), 0, tl.int64) + low, largest, factor, True, BLOCK), axis=0)
        low = raised(low, top_p * everything, logits_ptr, n_columns, largest, factor, True, BLOCK)
    return low


@triton.jit
def parameter(pointer, row, default: tl.constexpr):
    """One number a row, or the default if there is no array."""
    if pointer is None:
        return default
    else:
        return tl.load(pointer + row)


@triton.jit
def filter_row(logits_ptr, row, n_columns, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, largest, BLOCK: tl.constexpr):
    """(1 / temperature, key of the smallest logit that is kept) of a row; a temperature of 0 keeps the largest ones."""
    temperature = tl.full((), 1.0, tl.float32) * parameter(temperature_ptr, row, 1.0)
    factor = 1 / tl.where(temperature == 0.0, 1.0, temperature)
    low = tl.full((), LOWEST, tl.int64)
    if temperature == 0.0:
        low = key_of(largest).to(tl.int64)
    elif (top_k_ptr is not None) | (top_p_ptr is not None) | (min_p_ptr is not None):
        top_k = tl.full((), 0, tl.int32) + parameter(top_k_ptr, row, 0)
        top_p = tl.full((), 0.0, tl.float32) + parameter(top_p_ptr, row, 1.0)
        min_p = tl.full((), 0.0, tl.float32) + parameter(min_p_ptr, row, 0.0)
        low = threshold_of_row(logits_ptr, n_columns, largest, factor, top_k, top_p, min_p, BLOCK)
    return factor, low, temperature == 0.0


@triton.jit
def filter_logits(logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, out_ptr, logits_row_stride, out_row_stride, n_columns,
                  BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """out[i] = logits[i] / temperature[i], and -inf for what the filters drop. One program a row. temperature, top_p and min_p are fp32,
    top_k int32, one number a row each, or None. A temperature of 0 counts as 1, and keeps the largest."""
    row = tl.program_id(0).to(tl.int64)
    logits_ptr += row * logits_row_stride
    out_ptr += row * out_row_stride
    largest = largest_of_row(logits_ptr, n_columns, BLOCK)
    factor, low, is_greedy = filter_row(logits_ptr, row, n_columns, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, largest, BLOCK)
    columns = tl.arange(0, BLOCK)
    for first in range(0, n_columns, BLOCK):
        inside = first + columns < n_columns
        x = tl.load(logits_ptr + first + columns, mask=inside, other=0.0).to(tl.float32)
        result = tl.where(key_of(x).to(tl.int64) >= low, x * factor, -float("inf"))
        tl.store(out_ptr + first + columns, result.to(out_ptr.dtype.element_ty), mask=inside, cache_modifier=CACHE)


@triton.jit
def sample(logits_ptr, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, seeds_ptr, out_ptr, logits_row_stride, n_columns, BLOCK: tl.constexpr,
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
        largest = largest_of_row(logits_ptr, n_columns, BLOCK)
        factor, low, is_greedy = filter_row(logits_ptr, row, n_columns, temperature_ptr, top_k_ptr, top_p_ptr, min_p_ptr, largest, BLOCK)
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

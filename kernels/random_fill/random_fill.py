"""Random numbers from a seed: uniform, normal, exponential, integers below a bound, coins, and keys whose order is a permutation. Numbers come from Philox 4x32-10, four words for each counter; so a seed gives the same ones on every
device, with any blocks."""
import triton
import triton.language as tl


@triton.jit
def number_of(word, low, high, KIND: tl.constexpr):
    """A number of a distribution from a random word."""
    if KIND == "integer":
        # The upper half of word * (high - low): evenly spread over all integers but for 1 in 2^32.
        span = tl.full((), high, tl.int64) - low
        return low + ((word.to(tl.uint64) * span.to(tl.uint64)) >> 32).to(tl.int64)
    elif KIND == "key":
        return word.to(tl.int32, bitcast=True)
    else:
        share = tl.uint_to_uniform_float(word)
        if KIND == "uniform":
            return low + (high - low) * share
        elif KIND == "exponential":
            return -tl.log(1 - share) / low
        else:
            tl.static_assert(KIND == "coin")
            return tl.where(share < low, 1, 0)


@triton.jit
def random_fill(out_ptr, n, seed, low, high, KIND: tl.constexpr, BLOCK: tl.constexpr, CACHE: tl.constexpr = ""):
    """KIND "uniform": floats of [low, high); "exponential": with rate low; "coin": 1 with probability low; "normal": with mean low and deviation high; "integer": of [low, high), at most 2^32 apart;
    "key": any int32. The words of row r and column c are for elements 64 r + c + {0, 16, 32, 48}. BLOCK elements a program."""
    rows = (tl.program_id(0).to(tl.int64) * (BLOCK // 64) + tl.arange(0, BLOCK // 64))[:, None]
    columns = tl.arange(0, 16)[None, :]
    words = tl.randint4x(seed, rows * 16 + columns)
    first = rows * 64 + columns
    if KIND == "normal":
        shares = (tl.uint_to_uniform_float(words[0]), tl.uint_to_uniform_float(words[1]), tl.uint_to_uniform_float(words[2]), tl.uint_to_uniform_float(words[3]))
        normal0, normal1 = tl.pair_uniform_to_normal(shares[0], shares[1])
        normal2, normal3 = tl.pair_uniform_to_normal(shares[2], shares[3])
        numbers = (low + high * normal0, low + high * normal1, low + high * normal2, low + high * normal3)
    else:
        numbers = (number_of(words[0], low, high, KIND), number_of(words[1], low, high, KIND), number_of(words[2], low, high, KIND), number_of(words[3], low, high, KIND))
    for k in tl.static_range(4):
        offsets = first + 16 * k
        tl.store(out_ptr + offsets, numbers[k].to(out_ptr.dtype.element_ty), mask=offsets < n, cache_modifier=CACHE)

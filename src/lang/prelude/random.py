# Counter-based random numbers: the Philox generator (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"), in its
# 4x32 and 4x64 forms. The same seed and offset give the same bits as Triton.
import triton
import triton.language as tl

N_ROUNDS_DEFAULT = tl.constexpr(10)


# One block cipher over the counter (c0, c1, c2, c3) with the key (k0, k1).
@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """One run of the generator: a counter of four words and a key of two give four random words."""
    if c0.dtype == tl.uint32:
        multiplier_a: tl.constexpr = 0xD2511F53
        multiplier_b: tl.constexpr = 0xCD9E8D57
        weyl_a: tl.constexpr = 0x9E3779B9
        weyl_b: tl.constexpr = 0xBB67AE85
    else:
        tl.static_assert(c0.dtype == tl.uint64, "philox works on counters of type uint32 or uint64")
        multiplier_a: tl.constexpr = 0xD2E7470EE14C6C93
        multiplier_b: tl.constexpr = 0xCA5A826395121157
        weyl_a: tl.constexpr = 0x9E3779B97F4A7C15
        weyl_b: tl.constexpr = 0xBB67AE8584CAA73B

    for _ in tl.static_range(n_rounds):
        high_a = tl.umulhi(multiplier_a, c0)
        high_b = tl.umulhi(multiplier_b, c2)
        low_a = tl.mul(multiplier_a, c0, sanitize_overflow=False)
        low_b = tl.mul(multiplier_b, c2, sanitize_overflow=False)
        c0 = high_b ^ c1 ^ k0
        c2 = high_a ^ c3 ^ k1
        c1 = low_b
        c3 = low_a
        k0 = tl.add(k0, weyl_a, sanitize_overflow=False)
        k1 = tl.add(k1, weyl_b, sanitize_overflow=False)
    return c0, c1, c2, c3


# The width of the counter picks the form; a 64-bit seed is the whole key of 4x32 and the lower half of that of 4x64.
@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of random bits from a seed and a counter of four words."""
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), "the seed must be an integer")
    seed = seed.to(tl.uint64)
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        word: tl.constexpr = tl.uint32
        key_low = (seed & 0xFFFFFFFF).to(tl.uint32)
        key_high = (seed >> 32).to(tl.uint32)
    else:
        tl.static_assert(c0.dtype.primitive_bitwidth == 64, "philox works on counters of 32 or 64 bits")
        word: tl.constexpr = tl.uint64
        key_low = seed
        key_high = tl.full((1, ), 0, tl.uint64)
    c0 = c0.to(word, bitcast=True)
    c1 = c1.to(word, bitcast=True)
    c2 = c2.to(word, bitcast=True)
    c3 = c3.to(word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, key_low, key_high, n_rounds)


# Four blocks of 32 random bits for each offset: the cheapest entry, since one run of the cipher gives all four.
@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of 32 random bits for each offset, at the cost of one."""
    offset = tl.to_tensor(offset)
    low = offset.to(tl.uint32)
    zero = low ^ low
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """32 random bits for each offset."""
    first, _, _, _ = randint4x(seed, offset, n_rounds)
    return first


# Random bits to a float in [0, 1): folds negative numbers onto the positive ones, then scales so that the largest one
# stays below 1 after rounding to fp32.
@triton.jit
def uint_to_uniform_float(x):
    """Random bits as a float from 0 up to, not including, 1."""
    if x.dtype.primitive_bitwidth == 32:
        tl.static_assert(x.dtype.is_int(), "random bits must be integers")
        bits = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 64, "random bits must be integers of 32 or 64 bits")
        bits = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    return tl.where(bits < 0, ~bits, bits) * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Uniform random numbers from 0 up to, not including, 1, for each offset."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of uniform random numbers for each offset, at the cost of one."""
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


# Box and Muller: two uniform numbers to two independent normal ones. The lower bound keeps the logarithm finite.
@triton.jit
def pair_uniform_to_normal(u1, u2):
    """Two uniform random numbers as two normal ones."""
    u1 = tl.maximum(1.0e-7, u1)
    angle = 6.283185307179586 * u2
    radius = tl.sqrt(-2.0 * tl.log(u1))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Normal random numbers for each offset."""
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    first, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return first


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Four blocks of normal random numbers for each offset, at the cost of one."""
    a, b, c, d = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(a, b)
    n3, n4 = pair_uniform_to_normal(c, d)
    return n1, n2, n3, n4

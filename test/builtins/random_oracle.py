"""Random numbers against a Philox written from its publication: equal bit by bit, for every seed, offset and width."""
from builtin_test import Checks, Data, evaluate, expect_error, make, np
from philox_reference import philox

checks = Checks()
rng = np.random.default_rng(16)
MASK = (1 << 32) - 1
SEEDS = {"int32": [0, 7, 2**31 - 1, -5], "int64": [2**40 + 3, -1], "uint32": [2**32 - 1], "uint64": [2**63 + 11]}
OFFSETS = {"int32": [-3, 0, 1, 2**31 - 1], "int64": [0, -1, 2**33 + 5, 2**62], "uint32": [0, 2**32 - 1], "uint64": [1, 2**63 + 9]}


def words(seed, offset):
    low, high = offset & MASK, (offset >> 32) & MASK
    return philox([low, high, 0, 0], [seed & MASK, (seed >> 32) & MASK])


def offsets_of(dtype):
    values = OFFSETS[dtype] + [int(v) for v in rng.integers(0, 1000, 40)]
    return Data(dtype, np.array(values, dtype)), values


def expected_words(seed, values, dtype):
    """32-bit offsets have no upper word, even where they are negative."""
    narrow = dtype.endswith("32")
    return np.array([words(seed, value & MASK if narrow else value) for value in values], np.uint64).T.astype(np.uint32)


def uniform(bits):
    signed = bits.view(np.int32)
    return np.where(signed < 0, ~signed, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def seed_argument(dtype, seed):
    return f"seed = tl.full((), {seed}, tl.{dtype})\n"


def test_bits(seed_type, seed, dtype):
    offsets, values = offsets_of(dtype)
    expected = expected_words(seed, values, dtype)
    what, start, n = f"seed {seed} ({seed_type}), offsets {dtype}", seed_argument(seed_type, seed), len(values)
    four = evaluate(start + "r0, r1, r2, r3 = tl.randint4x(seed, a)", [offsets], ["uint32"] * 4, n=n)
    for i in range(4):
        checks.equal(four[i], expected[i], f"randint4x word {i}, {what}")
    checks.equal(evaluate(start + "r = tl.randint(seed, a)", [offsets], "uint32", n=n), expected[0], f"randint, {what}")
    checks.equal(evaluate(start + "r = tl.rand(seed, a)", [offsets], "fp32", n=n).astype(np.float32), uniform(expected[0]), f"rand, {what}")
    four = evaluate(start + "r0, r1, r2, r3 = tl.rand4x(seed, a)", [offsets], ["fp32"] * 4, n=n)
    for i in range(4):
        checks.equal(four[i].astype(np.float32), uniform(expected[i]), f"rand4x {i}, {what}")


def test_normal(seed, dtype):
    offsets, values = offsets_of(dtype)
    u = [uniform(word).astype(np.float64) for word in expected_words(seed, values, dtype)]
    start, n = seed_argument("int64", seed), len(values)

    def box_muller(a, b):
        radius = np.sqrt(-2 * np.log(np.maximum(a, 1e-7)))
        return radius * np.cos(2 * np.pi * b), radius * np.sin(2 * np.pi * b)

    expected = box_muller(u[0], u[1]) + box_muller(u[2], u[3])
    checks.close(evaluate(start + "r = tl.randn(seed, a)", [offsets], "fp32", n=n), expected[0], f"randn seed {seed} {dtype}", rtol=1e-5, atol=3e-6)
    four = evaluate(start + "r0, r1, r2, r3 = tl.randn4x(seed, a)", [offsets], ["fp32"] * 4, n=n)
    for i in range(4):
        checks.close(four[i], expected[i], f"randn4x {i} seed {seed} {dtype}", rtol=1e-5, atol=3e-6)


for seed_type, seeds in SEEDS.items():
    for seed in seeds:
        for dtype in OFFSETS:
            checks.run(f"random bits {seed} {dtype}", test_bits, seed_type, seed, dtype)
for seed in (1, 2**40 + 3):
    for dtype in ("int32", "int64"):
        checks.run(f"normal {seed} {dtype}", test_normal, seed, dtype)


def test_rounds(rounds):
    offsets, values = offsets_of("int32")
    expected = np.array([philox([v & MASK, 0, 0, 0], [99, 0], rounds=rounds)[0] for v in values], np.uint32)
    checks.equal(evaluate(f"r = tl.randint(99, a, n_rounds={rounds})", [offsets], "uint32", n=len(values)), expected, f"randint with {rounds} rounds")


for rounds in (1, 6, 7, 10):
    checks.run(f"{rounds} rounds", test_rounds, rounds)


def test_philox(bits):
    dtype = f"uint{bits}"
    counters = [Data(dtype, rng.integers(0, 2**bits, 53, dtype, endpoint=False)) for _ in range(4)]
    seed = 0x123456789ABCDEF0
    key = [seed & MASK, seed >> 32] if bits == 32 else [seed, 0]
    expected = np.array([philox([int(w) for w in c], key, bits) for c in zip(*(each.bits for each in counters))], dtype).T
    actual = evaluate(f"seed = tl.full((), {seed}, tl.int64)\nr0, r1, r2, r3 = tl.philox(seed, a, b, c, d)", counters, [dtype] * 4)
    for i in range(4):
        checks.equal(actual[i], expected[i], f"philox 4x{bits} word {i}")
    signed = [Data(f"int{bits}", each.bits.view(f"int{bits}")) for each in counters]
    actual = evaluate(f"seed = tl.full((), {seed}, tl.int64)\nr0, r1, r2, r3 = tl.philox(seed, a, b, c, d)", signed, [dtype] * 4)
    for i in range(4):
        checks.equal(actual[i], expected[i], f"philox 4x{bits} of signed counters, word {i}")
    key_words = ", ".join(f"tl.full((), {word}, tl.{dtype})" for word in key)
    actual = evaluate(f"r0, r1, r2, r3 = tl.philox_impl(a, b, c, d, {key_words})", counters, [dtype] * 4)
    for i in range(4):
        checks.equal(actual[i], expected[i], f"philox_impl 4x{bits} word {i}")


for bits in (32, 64):
    checks.run(f"philox 4x{bits}", test_philox, bits)


def test_uniform(dtype):
    info = np.iinfo(dtype)
    x = Data(dtype, np.concatenate([[info.min, info.max, 0], rng.integers(info.min, info.max, 50, dtype)]).astype(dtype))
    signed = x.bits.view(dtype.replace("u", ""))
    scale = np.float32(4.6566127342e-10 if dtype.endswith("32") else 1.0842020432385337e-19)
    expected = np.where(signed < 0, ~signed, signed).astype(np.float32) * scale
    actual = evaluate("r = tl.uint_to_uniform_float(a)", [x], "fp32").astype(np.float32)
    checks.equal(actual, expected, f"uint_to_uniform_float {dtype}")
    checks.expect((actual >= 0).all() and (actual < 1).all(), f"uint_to_uniform_float {dtype} stays in [0, 1)")


for dtype in ("int32", "uint32", "int64", "uint64"):
    checks.run(f"uint_to_uniform_float {dtype}", test_uniform, dtype)


def test_pair():
    u, v = make("fp32", rng.uniform(0, 1, 53)), make("fp32", rng.uniform(0, 1, 53))
    u.bits[0] = 0
    radius = np.sqrt(-2 * np.log(np.maximum(u.values, np.float32(1e-7))))
    first, second = evaluate("r0, r1 = tl.pair_uniform_to_normal(a, b)", [u, v], ["fp32", "fp32"])
    checks.close(first, radius * np.cos(2 * np.pi * v.values), "pair_uniform_to_normal: first", rtol=1e-5, atol=3e-6)
    checks.close(second, radius * np.sin(2 * np.pi * v.values), "pair_uniform_to_normal: second", rtol=1e-5, atol=3e-6)


checks.run("pair_uniform_to_normal", test_pair)
checks.run("philox of floats", expect_error, checks, "a seed that is a float", "r = tl.rand(0.5, a)", [make("int32", np.ones(53))], "fp32", "integer")
checks.exit()

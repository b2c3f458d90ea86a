"""Conversions between all pairs of types: exact values, rounding to nearest even, truncation, bits."""
from builtin_test import FLOATS, INTEGERS, NUMBERS, Checks, Data, bf16_from_float, evaluate, fp8_from_float, make, np, random, tl

checks = Checks()
rng = np.random.default_rng(19)
np.seterr(all="ignore")
TYPES = ["int1"] + NUMBERS
N = 53


def convert(values, source, target):
    """What numpy (or exact rounding) says; floats go to integers toward zero, integers wrap."""
    if target == "int1":
        return values != 0
    if target in INTEGERS and source in FLOATS:
        return np.trunc(values).astype(target)
    if target in INTEGERS:
        return values.astype(np.int64 if source != "uint64" else np.uint64).astype(target)
    if target == "fp64":
        return values.astype(np.float64)
    if source in INTEGERS and target != "fp32":  # one rounding, not by way of fp32: small integers are exact in both
        return make(target, values.astype(np.float64)).values
    return make(target, values).values


def sample(source, target):
    if source in FLOATS and target in INTEGERS:  # what does not fit is undefined
        low = 0 if target.startswith("u") else -100
        return make(source, rng.uniform(low, 100, N))
    if source in INTEGERS and target in ("fp16", "bf16"):
        return make(source, rng.integers(0, 100, N))
    if source in FLOATS and target in FLOATS:
        return make(source, rng.standard_normal(N) * 10.0**rng.integers(-3, 3, N))
    return random(rng, source, N)


def test(source, target):
    x = sample(source, target)
    expected = convert(x.values, source, target)
    for spelling in (f"a.to({tl(target)})", f"tl.cast(a, {tl(target)})"):
        checks.equal(evaluate(f"r = {spelling}", [x], target), expected, f"{source} to {target}: {spelling}")


for source in TYPES:
    for target in TYPES:
        checks.run(f"{source} to {target}", test, source, target)


def test_special(source, target):
    x = make(source, [np.nan, np.inf, -np.inf, 0.0, -0.0, 65504.0, 65520.0, 1e-8, 3e38, 6e-8])
    actual = evaluate(f"r = a.to({tl(target)})", [x], target, n=10, block=16)
    expected = make(target, x.values).values
    checks.equal(actual, expected, f"special values {source} to {target}")
    checks.equal(np.signbit(actual[3:5]), [False, True], f"sign of zero {source} to {target}")


for source in FLOATS:
    for target in FLOATS:
        checks.run(f"special {source} to {target}", test_special, source, target)


def test_toward_zero(target):
    x = random(rng, "fp32", N, -100, 100)
    actual = evaluate(f"r = a.to({tl(target)}, fp_downcast_rounding='rtz')", [x], target)
    if target == "fp16":
        nearest = x.bits.astype(np.float16)
        expected = np.where(np.abs(nearest.astype(np.float64)) > np.abs(x.values), np.nextafter(nearest, np.float16(0)), nearest).astype(np.float64)
    else:
        expected = Data("bf16", (x.bits.view(np.uint32) >> 16).astype(np.uint16)).values
    checks.equal(actual, expected, f"fp32 to {target} toward zero")


for target in ("fp16", "bf16"):
    checks.run(f"toward zero {target}", test_toward_zero, target)


def test_fp8(source, target):
    """All 256 codes up; values that fit down, to nearest even."""
    codes = Data(target, np.arange(256, dtype=np.uint8))
    finite = np.isfinite(codes.values)
    up = evaluate(f"r = a.to({tl(source)})", [codes], source, n=256, block=256)
    checks.equal(up[finite], make(source, codes.values).values[finite], f"{target} to {source}")
    limit = np.abs(codes.values[finite]).max() * 0.95
    x = random(rng, source, N, -limit, limit)
    checks.equal(evaluate(f"r = a.to({tl(target)})", [x], target), Data(target, fp8_from_float(x.values, target)).values, f"{source} to {target}")


for target in ("fp8e4nv", "fp8e5"):
    for source in ("fp16", "bf16", "fp32"):
        checks.run(f"{source} {target}", test_fp8, source, target)


def test_bits(source, target):
    x = random(rng, source, N)
    expected = x.bits.view(np.uint8).tobytes()
    size = x.bits.dtype.itemsize
    out = make(target, np.zeros(N))
    actual = evaluate(f"r = a.to({tl(target)}, bitcast=True)", [x], target)
    checks.equal(make(target, actual).bits.view(f"u{size}"), x.bits.view(f"u{size}"), f"bits of {source} as {target}")
    assert len(expected) == out.bits.nbytes


for group in (["int8", "uint8"], ["int16", "uint16", "fp16", "bf16"], ["int32", "uint32", "fp32"], ["int64", "uint64", "fp64"]):
    for source in group:
        for target in group:
            if source in INTEGERS and target in FLOATS:
                continue  # random bits may be a NaN, whose payload is not compared
            checks.run(f"bits of {source} as {target}", test_bits, source, target)
assert bf16_from_float is not None
checks.exit()

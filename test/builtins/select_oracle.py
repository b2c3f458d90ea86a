"""where, minimum, maximum and clamp against numpy: types, promotion, NaN."""
from builtin_test import FLOATS, INTEGERS, NUMBERS, Checks, Data, evaluate, expect_error, make, np, random

checks = Checks()
rng = np.random.default_rng(12)
WIDER = {"bf16": "fp32"}  # bf16 is compared as fp32


def with_nans(data):
    if data.dtype in FLOATS:
        data.bits[5:9] = make(data.dtype, [np.nan] * 4).bits
    return data


def test_extremum(dtype):
    x, y = with_nans(random(rng, dtype, 53)), random(rng, dtype, 53)
    if dtype in FLOATS:
        y.bits[8:12] = make(dtype, [np.nan] * 4).bits
    result = WIDER.get(dtype, dtype)
    lowest, highest = (np.fmin, np.fmax) if dtype in FLOATS else (np.minimum, np.maximum)
    checks.equal(evaluate("r = tl.minimum(a, b)", [x, y], result), lowest(x.values, y.values), f"minimum {dtype}")
    checks.equal(evaluate("r = tl.maximum(a, b)", [x, y], result), highest(x.values, y.values), f"maximum {dtype}")
    checks.equal(evaluate("r = min(a, b)", [x, y], result), lowest(x.values, y.values), f"min {dtype}")
    checks.equal(evaluate("r = max(a, b)", [x, y], result), highest(x.values, y.values), f"max {dtype}")
    if dtype in FLOATS:
        for name, function in (("minimum", np.minimum), ("maximum", np.maximum)):
            actual = evaluate(f"r = tl.{name}(a, b, propagate_nan=tl.PropagateNan.ALL)", [x, y], result)
            checks.equal(actual, function(x.values, y.values), f"{name} {dtype} with NaN")
            actual = evaluate(f"r = tl.{name}(a, b, propagate_nan=tl.PropagateNan.NONE)", [x, y], result)
            checks.equal(actual, (lowest if name == "minimum" else highest)(x.values, y.values), f"{name} {dtype} without NaN")


for dtype in NUMBERS:
    checks.run(f"extremum {dtype}", test_extremum, dtype)


def test_promotion():
    half = random(rng, "fp16", 53)
    checks.equal(evaluate("r = tl.maximum(a, 0.0)", [half], "fp32"), np.maximum(half.values, 0), "maximum of fp16 and a literal is fp32")
    small, wide = random(rng, "int8", 53), random(rng, "int32", 53)
    checks.equal(evaluate("r = tl.minimum(a, b)", [small, wide], "int32"), np.minimum(small.bits, wide.bits), "minimum int8 int32")
    checks.equal(evaluate("r = tl.maximum(a, 3)", [small], "int32"), np.maximum(small.bits, 3), "maximum int8 and a literal is int32")


checks.run("promotion", test_promotion)


def test_fp8(dtype):
    x, y = random(rng, dtype, 53, -1.5, 1.5), random(rng, dtype, 53, -1.5, 1.5)
    checks.equal(evaluate("r = tl.minimum(a, b)", [x, y], dtype), np.minimum(x.values, y.values), f"minimum {dtype}")
    checks.equal(evaluate("r = tl.maximum(a, b)", [x, y], dtype), np.maximum(x.values, y.values), f"maximum {dtype}")
    checks.equal(evaluate("r = tl.abs(a)", [x], dtype), np.abs(x.values), f"abs {dtype}")
    checks.equal(evaluate("r = tl.clamp(a, b, b)", [x, y], dtype), y.values, f"clamp {dtype}")


for dtype in ("fp8e4nv", "fp8e5", "fp8e4b15"):
    checks.run(f"fp8 {dtype}", test_fp8, dtype)


def test_clamp(dtype):
    x, result = with_nans(random(rng, dtype, 53)), {"fp64": "fp64"}.get(dtype, "fp32")
    expected = np.where(np.isnan(x.values), -1, np.clip(x.values, -1, 2))
    checks.equal(evaluate("r = tl.clamp(a, -1.0, 2.0)", [x], result), expected, f"clamp {dtype}")
    actual = evaluate("r = tl.clamp(a, -1.0, 2.0, propagate_nan=tl.PropagateNan.ALL)", [x], result)
    checks.equal(actual, np.clip(x.values, -1, 2), f"clamp {dtype} with NaN")
    low, high = random(rng, dtype, 53, -2, 0), random(rng, dtype, 53, 0, 2)
    same = WIDER.get(dtype, dtype)
    expected = np.minimum(np.fmax(x.values, low.values), high.values)
    checks.equal(evaluate("r = tl.clamp(a, b, c)", [x, low, high], same), expected, f"clamp {dtype} by tensors")


for dtype in FLOATS:
    checks.run(f"clamp {dtype}", test_clamp, dtype)
checks.run("clamp int", expect_error, checks, "clamp int32", "r = tl.clamp(a, 0, 1)", [make("int32", np.ones(53))], "int32", "floating point")


def test_where(dtype):
    condition, x, y = random(rng, "int1", 53), random(rng, dtype, 53), random(rng, dtype, 53)
    expected = np.where(condition.bits, x.values, y.values)
    checks.equal(evaluate("r = tl.where(a, b, c)", [condition, x, y], dtype), expected, f"where {dtype}")
    with_literal = np.where(condition.bits, x.values, 1).astype(np.int32 if dtype == "int1" else expected.dtype)
    result = "int32" if dtype == "int1" else dtype  # an integer literal is wider than a bool, and adapts to all others
    checks.equal(evaluate("r = tl.where(a, b, 1)", [condition, x], result), with_literal, f"where {dtype} and a literal")


for dtype in ["int1"] + NUMBERS + ["fp8e4nv", "fp8e5"]:
    checks.run(f"where {dtype}", test_where, dtype)


def test_where_forms():
    condition = random(rng, "int1", 53)
    checks.equal(evaluate("r = tl.where(a, 1.0, 0.0)", [condition], "fp32"), condition.bits.astype(np.float64), "where of two literals")
    checks.equal(evaluate("r = tl.where(n > 3, offsets, 0)", [], "int32"), np.arange(53), "where with a scalar condition")
    integers = make("int32", rng.integers(0, 3, 53))
    checks.equal(evaluate("r = tl.where(a, 1, 2)", [integers], "int32"), np.where(integers.bits, 1, 2), "where with an integer condition")


checks.run("where forms", test_where_forms)
for dtype in INTEGERS[:1]:
    checks.run("propagate_nan", expect_error, checks, "a wrong propagate_nan", "r = tl.maximum(a, a, propagate_nan=7)", [Data("int32", np.ones(53, np.int32))], "int32", "PropagateNan")
checks.exit()

"""Elementwise mathematics against float64, for every type that each function accepts, and the refusal of all others."""
import math

from builtin_test import EPSILON, FLOATS, INTEGERS, SIGNED, UNSIGNED, Checks, evaluate, expect_error, make, np, random

checks = Checks()
rng = np.random.default_rng(11)
np.seterr(all="ignore")

erf = np.vectorize(math.erf)
UNARY = {  # name: (function, low, high)
    "exp": (np.exp, -10, 10), "exp2": (np.exp2, -10, 10), "log": (np.log, 1e-3, 100), "log2": (np.log2, 1e-3, 100),
    "cos": (np.cos, -10, 10), "sin": (np.sin, -10, 10), "sqrt": (np.sqrt, 0, 100), "rsqrt": (lambda x: 1 / np.sqrt(x), 1e-3, 100),
    "erf": (erf, -3, 3), "floor": (np.floor, -5, 5), "ceil": (np.ceil, -5, 5), "abs": (np.abs, -5, 5), "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -9, 9),
}


def test_unary(name, spelling, dtype, function, low, high):
    x = random(rng, dtype, 53, low, high)
    # A logarithm near 1 and a sine near 0 lose relative accuracy to the rounding of the argument alone.
    checks.close(evaluate(f"r = {spelling}", [x], dtype), function(x.values), f"{spelling} {dtype}", rtol=8 * EPSILON[dtype], atol=8 * EPSILON[dtype])


for name, (function, low, high) in UNARY.items():
    for dtype in ("fp32", "fp64"):
        for spelling in (f"tl.{name}(a)", f"a.{name}()", f"tl.math.{name}(a)"):
            checks.run(spelling, test_unary, name, spelling, dtype, function, low, high)
    if name != "abs":
        for dtype in ("fp16", "bf16", "int32"):
            checks.run(name, expect_error, checks, f"{name} {dtype}", f"r = tl.{name}(a)", [make(dtype, np.ones(53))], dtype, "f32 or f64")


def test_half(name, dtype, function, low, high):
    """As methods the functions take halves: they compute in fp32 and round."""
    x = random(rng, dtype, 53, low, high)
    found = evaluate(f"r = a.{name}()", [x], dtype)
    checks.close(found, function(x.values.astype(np.float64)), f"a.{name}() {dtype}", rtol=EPSILON[dtype], atol=EPSILON[dtype] / 16)


for name, (function, low, high) in UNARY.items():
    for dtype in ("fp16", "bf16"):
        if name == "sigmoid":
            checks.run(name, expect_error, checks, f"a.{name}() {dtype}", f"r = a.{name}()", [make(dtype, np.ones(53))], dtype, "f32 or f64")
        else:
            checks.run(f"{name} {dtype}", test_half, name, dtype, function, low, high)
    if name != "abs":
        checks.run(name, expect_error, checks, f"a.{name}() int32", f"r = a.{name}()", [make("int32", np.ones(53))], "int32", "f32 or f64")


def test_angles(name, function, dtype):
    """Small, large and huge angles side by side, and those next to multiples of a quarter turn."""
    quarters = np.arange(-40, 40) * (np.pi / 2)
    large = np.concatenate([2.0**np.arange(10, 40), 1e30 * np.arange(1, 9), [32767.9, 32768.0, 32768.1, -32768.5, 1e-30, -1e-5]])
    x = make(dtype, np.concatenate([quarters, quarters * 521, large, -large, rng.uniform(-32768, 32768, 300)]))
    count = x.values.size
    with_special = make(dtype, np.concatenate([x.values, [np.inf, -np.inf, np.nan, 0.0, -0.0]]))
    found = evaluate(f"r = tl.{name}(a)", [with_special], dtype, n=count + 5, block=1024)
    checks.close(found[:count], function(x.values.astype(np.float64)), f"{name} {dtype} of angles", rtol=4 * EPSILON[dtype])
    checks.expect(np.isnan(found[count:count + 3]).all(), f"{name} of infinities and NaN")
    zeros = function(np.array([0.0, -0.0]))
    checks.expect((found[-2:] == zeros).all() and (np.signbit(found[-2:]) == np.signbit(zeros)).all(), f"{name} of zeros")


for name, function in (("sin", np.sin), ("cos", np.cos)):
    for dtype in ("fp32", "fp64"):
        checks.run(f"angles {name} {dtype}", test_angles, name, function, dtype)


def test_special_values(name, function):
    x = make("fp32", [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0])
    checks.close(evaluate(f"r = tl.{name}(a)", [x], "fp32", n=7, block=8), function(x.values), f"{name} of special values", rtol=1e-6)


for name in ("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "abs", "floor", "ceil"):
    checks.run(name, test_special_values, name, UNARY[name][0])


def test_exact(name, body, dtype, inputs, expected):
    checks.equal(evaluate(body, inputs, dtype), expected, f"{name} {dtype}")


x, y = random(rng, "fp32", 53, 0.1, 9), random(rng, "fp32", 53, 0.1, 9)
checks.run("sqrt_rn", test_exact, "sqrt_rn", "r = tl.sqrt_rn(a)", "fp32", [x], np.sqrt(x.bits))
checks.run("div_rn", test_exact, "div_rn", "r = tl.div_rn(a, b)", "fp32", [x, y], x.bits / y.bits)
for dtype in ("fp16", "bf16", "fp64", "int32"):
    one = make(dtype, np.ones(53))
    checks.run("sqrt_rn", expect_error, checks, f"sqrt_rn {dtype}", "r = tl.sqrt_rn(a)", [one], dtype, "needs f32")
    checks.run("div_rn", expect_error, checks, f"div_rn {dtype}", "r = tl.div_rn(a, a)", [one], dtype, "needs f32")

for dtype in FLOATS:
    x, y, z = (random(rng, dtype, 53, 0.5, 4) for _ in range(3))
    exact = make(dtype, x.values / y.values).values
    for body in ("r = tl.fdiv(a, b)", "r = tl.fdiv(a, b, ieee_rounding=True)"):
        checks.run("fdiv", lambda: checks.quotient(evaluate(body, [x, y], dtype), exact, f"{body} {dtype}", dtype))
    if dtype != "fp64":  # in float64 the product and sum of the narrower types are exact enough for one rounding
        checks.run("fma", test_exact, "fma", "r = tl.fma(a, b, c)", dtype, [x, y, z], make(dtype, x.values * y.values + z.values).values)
    checks.run("abs", test_exact, "abs", "r = tl.abs(a - 2)", dtype, [x], np.abs(make(dtype, x.values - 2).values))
x = random(rng, "fp64", 53)
checks.run("fma fp64", lambda: checks.close(evaluate("r = tl.fma(a, a, a)", [x], "fp64"), x.values * x.values + x.values, "fma fp64", rtol=1e-15, atol=1e-15))
checks.run("fdiv int", expect_error, checks, "fdiv int32", "r = tl.fdiv(a, a)", [make("int32", np.ones(53))], "int32", "floating point")
checks.run("fma int", expect_error, checks, "fma int32", "r = tl.fma(a, a, a)", [make("int32", np.ones(53))], "int32", "floating point")

for dtype in SIGNED:
    x = random(rng, dtype, 53)
    checks.run("abs", test_exact, "abs", "r = tl.abs(a)", dtype, [x], np.abs(x.bits))
for dtype in UNSIGNED:
    x = random(rng, dtype, 53)
    checks.run("abs", test_exact, "abs", "r = tl.abs(a)", dtype, [x], x.bits)

for dtype in INTEGERS:
    x, y = random(rng, dtype, 53), random(rng, dtype, 53)
    bits = x.bits.dtype.itemsize * 8
    if bits >= 32:
        high = [((int(p) % 2**bits) * (int(q) % 2**bits)) >> bits for p, q in zip(x.bits, y.bits)]
        expected = np.array(high, f"uint{bits}").view(x.bits.dtype)
        checks.run("umulhi", test_exact, "umulhi", "r = tl.umulhi(a, b)", dtype, [x, y], expected)
    else:
        checks.run("umulhi", expect_error, checks, f"umulhi {dtype}", "r = tl.umulhi(a, b)", [x, y], dtype, "32 or 64 bits")

for dtype in ("int32", "int64", "uint32"):
    x, y = make(dtype, rng.integers(0, 10000, 53)), make(dtype, rng.integers(1, 100, 53))
    checks.run("cdiv", test_exact, "cdiv", "r = tl.cdiv(a, b)", dtype, [x, y], -(-x.bits.astype(np.int64) // y.bits).astype(x.bits.dtype))
    checks.run("cdiv", test_exact, "cdiv member", "r = a.cdiv(7)", dtype, [x], -(-x.bits.astype(np.int64) // 7).astype(x.bits.dtype))
checks.run("cdiv of constants", lambda: checks.equal(
    evaluate("COUNT: tl.constexpr = tl.cdiv(BLOCK + 1, 8)\nr = a + COUNT", [make("int32", np.zeros(53))], "int32"), np.full(53, 9), "cdiv of constants"))
checks.exit()

"""Operators on all pairs of types: the type of the result by the published rules, the values by exact or numpy arithmetic."""
from builtin_test import FLOATS, INTEGERS, NUMBERS, SIGNED, UNSIGNED, Checks, evaluate, expect_error, make, np, random

checks = Checks()
rng = np.random.default_rng(25)
np.seterr(all="ignore")
WIDTH = {name: int(name.strip("uint")) for name in INTEGERS} | {"int1": 1}


def promoted(a, b, division=False):
    """The type that a binary operator computes in."""
    pair = {a, b}
    if "fp64" in pair:
        return "fp64"
    if division and pair & set(FLOATS):
        return "fp32"
    if "fp32" in pair:
        return "fp32"
    if "fp16" in pair:
        return "fp32" if division else "fp16"
    if "bf16" in pair:
        return "fp32" if division or pair != {"bf16"} else "bf16"
    unsigned = [t for t in (a, b) if t in UNSIGNED or t == "int1"]
    if len(unsigned) in (0, 2):
        return a if WIDTH[a] > WIDTH[b] else b
    (u, ), (s, ) = unsigned, [t for t in (a, b) if t not in unsigned]
    return u if WIDTH[u] >= WIDTH[s] else s


def small(dtype, low=1, high=11):
    """Positive whole numbers: they and most results are exact in every type."""
    return make(dtype, rng.integers(low, high, 53))


def test_arithmetic(a_type, b_type):
    a, b = small(a_type), small(b_type)
    x, y = a.values.astype(np.float64), b.values.astype(np.float64)
    result = promoted(a_type, b_type)
    for symbol, expected in (("+", x + y), ("*", x * y), ("-", x - y)):
        if symbol == "-" and result in UNSIGNED:
            positive = evaluate("r = tl.where(a > b, a - b, b - a)", [a, b], result)
            checks.equal(positive.astype(np.float64), np.abs(x - y), f"{a_type} - {b_type}")
            continue
        checks.equal(evaluate(f"r = a {symbol} b", [a, b], result).astype(np.float64), expected, f"{a_type} {symbol} {b_type}")
    both_integers = a_type in INTEGERS and b_type in INTEGERS
    if both_integers and (a_type in UNSIGNED) != (b_type in UNSIGNED):
        return expect_error(checks, f"{a_type} / {b_type}", "r = a / b", [a, b], "fp32", "both signed or both unsigned")
    quotient = promoted("fp32", "fp32") if both_integers else promoted(a_type, b_type, True)
    checks.close(evaluate("r = a / b", [a, b], quotient), x / y, f"{a_type} / {b_type}", rtol=2e-7 if quotient == "fp32" else 1e-15)


for a_type in NUMBERS:
    for b_type in NUMBERS:
        checks.run(f"{a_type} and {b_type}", test_arithmetic, a_type, b_type)


def test_compare(a_type, b_type):
    a, b = small(a_type, 0, 4), small(b_type, 0, 4)
    for symbol, function in (("<", np.less), ("<=", np.less_equal), (">", np.greater), (">=", np.greater_equal), ("==", np.equal), ("!=", np.not_equal)):
        checks.equal(evaluate(f"r = a {symbol} b", [a, b], "int1"), function(a.values.astype(np.float64), b.values.astype(np.float64)), f"{a_type} {symbol} {b_type}")


for a_type in NUMBERS:
    for b_type in (a_type, "int32", "fp32"):
        checks.run(f"compare {a_type} {b_type}", test_compare, a_type, b_type)


def test_integers(dtype):
    """C's division and remainder, shifts by the sign, wrap-around."""
    info = np.iinfo(dtype)
    a, b = random(rng, dtype, 53), random(rng, dtype, 53)
    b.bits[b.bits == 0] = 1
    b.bits[(a.bits == info.min) & (b.bits.astype(object) == -1)] = 1
    x, y = [int(v) for v in a.bits], [int(v) for v in b.bits]
    truncated = [abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(x, y)]
    checks.equal(evaluate("r = a // b", [a, b], dtype), np.array(truncated, dtype), f"{dtype} //")
    checks.equal(evaluate("r = a % b", [a, b], dtype), np.array([p - t * q for p, q, t in zip(x, y, truncated)], dtype), f"{dtype} %")
    shift = make(dtype, rng.integers(0, info.bits, 53))
    checks.equal(evaluate("r = a << b", [a, shift], dtype), a.bits << shift.bits, f"{dtype} <<")
    checks.equal(evaluate("r = a >> b", [a, shift], dtype), a.bits >> shift.bits, f"{dtype} >>")
    for symbol, expected in (("&", a.bits & b.bits), ("|", a.bits | b.bits), ("^", a.bits ^ b.bits), ("+", a.bits + b.bits), ("-", a.bits - b.bits), ("*", a.bits * b.bits)):
        checks.equal(evaluate(f"r = a {symbol} b", [a, b], dtype), expected, f"{dtype} {symbol}")
    checks.equal(evaluate("r = ~a", [a], dtype), ~a.bits, f"~{dtype}")
    checks.equal(evaluate("r = -a", [a], dtype), np.zeros_like(a.bits) - a.bits, f"-{dtype}")
    checks.equal(evaluate("r = a == 0", [a], "int1"), a.bits == 0, f"{dtype} == 0")
    for name, expected in (("add", a.bits + b.bits), ("sub", a.bits - b.bits), ("mul", a.bits * b.bits)):
        checks.equal(evaluate(f"r = tl.{name}(a, b)", [a, b], dtype), expected, f"tl.{name} {dtype}")
        checks.equal(evaluate(f"r = tl.{name}(a, b, sanitize_overflow=False)", [a, b], dtype, debug=True), expected, f"tl.{name} {dtype} without a check")


for dtype in INTEGERS:
    checks.run(f"integers {dtype}", test_integers, dtype)


def test_floats(dtype):
    a, b = random(rng, dtype, 53), random(rng, dtype, 53)
    checks.equal(evaluate("r = -a", [a], dtype), -a.values, f"-{dtype}")
    wide = "fp64" if dtype == "fp64" else "fp32"
    checks.close(evaluate("r = a % b", [a, b], wide), np.fmod(a.values, b.values), f"{dtype} %", rtol=1e-6, atol=1e-6)
    special = make(dtype, [np.nan, 1.0])
    checks.equal(evaluate("r = a != a", [special], "int1", n=2, block=2), [True, False], f"NaN != NaN {dtype}")
    checks.equal(evaluate("r = a == a", [special], "int1", n=2, block=2), [False, True], f"NaN == NaN {dtype}")
    checks.equal(evaluate("r = a < a", [special], "int1", n=2, block=2), [False, False], f"NaN < NaN {dtype}")


for dtype in FLOATS:
    checks.run(f"floats {dtype}", test_floats, dtype)


def test_literals(dtype):
    """A literal of the same or a lower kind takes the type of the tensor."""
    a = small(dtype)
    checks.equal(evaluate("r = a + 1", [a], dtype), make(dtype, a.values + 1).values, f"{dtype} + 1")
    checks.equal(evaluate("r = 2 * a", [a], dtype), make(dtype, a.values * 2).values, f"2 * {dtype}")
    result = dtype if dtype in FLOATS else "fp32"
    checks.equal(evaluate("r = a + 0.5", [a], result).astype(np.float64), make(result, a.values.astype(np.float64) + 0.5).values, f"{dtype} + 0.5")


for dtype in NUMBERS:
    checks.run(f"literals {dtype}", test_literals, dtype)


def test_logical():
    a, b = random(rng, "int1", 53), random(rng, "int1", 53)
    for body, expected in (("a and b", a.bits & b.bits), ("a or b", a.bits | b.bits), ("not a", ~a.bits), ("a.logical_and(b)", a.bits & b.bits), ("a.logical_or(b)", a.bits | b.bits),
                           ("a & b", a.bits & b.bits), ("a | b", a.bits | b.bits), ("a ^ b", a.bits ^ b.bits), ("~a", ~a.bits), ("a == b", a.bits == b.bits)):
        checks.equal(evaluate(f"r = {body}", [a, b], "int1"), expected, body)


checks.run("logical", test_logical)


def test_overflow(debug):
    a = make("int32", [2**31 - 1] * 53)
    if not debug:
        checks.equal(evaluate("r = a + 1", [a], "int32"), np.full(53, -2**31), "int32 wraps around")
    else:
        try:
            evaluate("r = a + 1", [a], "int32", debug=True)
            checks.expect(False, "an overflow in debug mode was not noticed")
        except Exception as error:
            checks.expect("overflow" in str(error), f"overflow in debug mode: {error}")


for debug in (False, True):
    checks.run("overflow", test_overflow, debug)
for what, body, dtype, message in (("float //", "r = a // a", "fp32", "//"), ("mixed signs //", "r = a // a.to(tl.uint32)", "int32", "sign"), ("float &", "r = a & a", "fp32", "&"), ("**", "r = a ** 2", "int32", "**"),
                                   ("negative and unsigned", "r = a + (-1)", "uint32", "negative"), ("too large a literal", "r = a + 300", "int8", "300")):
    checks.run(what, expect_error, checks, what, body, [make(dtype, np.ones(53))], dtype, message)
assert SIGNED
checks.exit()

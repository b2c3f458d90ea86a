"""Operators on every pair of types: the type of the result as Triton's own rules give it (unittest/lang/promotion.txt), and the
values as numpy computes them in that type; numbers that meet tensors; comparisons; signs, shifts and logic."""
import os

from builtin_test import FLOATS, INTEGERS, NUMBERS, Checks, evaluate, expect_error, make, np, random, run_kernel, tl
from nereid_test import IS_CUDA

checks = Checks()
rng = np.random.default_rng(23)
np.seterr(all="ignore")
N = 53
TABLE_TYPES = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8",
               "fp8e4b15", "fp16", "bf16", "fp32", "fp64"]
CONSTANT_TYPES = ["int1", "int32", "uint32", "int64", "uint64", "fp32", "fp64"]


def read_promotions():
    """{(mode, operation): {(a, b): type}}: mode is `tensors` or `constant` (then b is a number)."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "unittest", "lang", "promotion.txt")
    tables, table, columns = {}, None, None
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[0] == "mode":
            table = tables[words[1], words[2]] = {}
            columns = TABLE_TYPES if words[1] == "tensors" else CONSTANT_TYPES
        else:
            table.update({(words[0], column): result for column, result in zip(columns, words[1:])})
    return tables


PROMOTIONS = read_promotions()


def convert(values, dtype):
    """Operands in the type of the operation: integers wrap, floats round; as numpy integers or float64."""
    if dtype in INTEGERS:
        return values.astype(np.int64).astype(dtype) if values.dtype != np.uint64 else values.astype(dtype)
    if dtype == "int1":
        return values != 0
    return make(dtype, values).values


def truncated_quotient(x, y):
    quotient = np.abs(x.astype(object)) // np.abs(y.astype(object))
    return np.where((x < 0) != (y < 0), -quotient, quotient)


def arithmetic(operator, x, y, dtype):
    """x and y are already of the type."""
    if dtype in FLOATS:
        result = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "%": np.fmod}[operator](x, y)
        return make(dtype, result).values
    if operator == "//":
        return truncated_quotient(x, y).astype(dtype)
    if operator == "%":
        return (x.astype(object) - truncated_quotient(x, y) * y.astype(object)).astype(dtype)
    functions = {"+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
    return functions[operator](x, y)


COMPARISONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}


def operand(dtype, avoid_zero=False):
    if dtype in INTEGERS:
        values = rng.integers(1 if avoid_zero else 0, 100, N)
        if not dtype.startswith("u"):
            values = np.where(rng.integers(0, 2, N), values, -values)
        return make(dtype, values)
    return make(dtype, np.round(rng.uniform(0.5, 60, N), 2) * np.where(rng.integers(0, 2, N), 1, -1))


def test_pair(a_type, b_type):
    a, b = operand(a_type), operand(b_type, avoid_zero=True)
    plain, division = PROMOTIONS["tensors", "plain"][a_type, b_type], PROMOTIONS["tensors", "division"][a_type, b_type]
    operators = ["+", "-", "*"] + (["&", "|", "^"] if plain in INTEGERS else [])
    cases = [(operator, plain) for operator in operators]
    if division != "error":
        cases += [("%", division)] + ([("//", division)] if division in INTEGERS else [])
    body, outputs, expected = [], [], []
    for operator, dtype in cases:
        outputs.append(dtype)
        expected.append(arithmetic(operator, convert(a.values, dtype), convert(b.values, dtype), dtype))
    if division != "error":
        cases.append(("/", division))
        dtype = division if division in FLOATS else "fp32"
        outputs.append(dtype)
        expected.append(arithmetic("/", convert(a.values, dtype), convert(b.values, dtype), dtype))
    for name, function in COMPARISONS.items():
        cases.append((name, "int1"))
        outputs.append("int1")
        expected.append(function(convert(a.values, plain), convert(b.values, plain)))
    body = [f"r{i} = a {operator} b" for i, (operator, _) in enumerate(cases)]
    for (operator, _), actual, want, dtype in zip(cases, evaluate("\n".join(body), [a, b], outputs), expected, outputs):
        if operator == "/":
            checks.quotient(actual, want, f"{a_type} / {b_type}", dtype)
        else:
            checks.equal(actual, want, f"{a_type} {operator} {b_type}")


for a_type in NUMBERS:
    for b_type in NUMBERS:
        checks.run(f"{a_type} and {b_type}", test_pair, a_type, b_type)
for dtype in INTEGERS:
    other = ("u" + dtype) if not dtype.startswith("u") else dtype[1:]
    for operator in ("//", "%", "/"):
        expect_error(checks, f"{dtype} {operator} {other}", f"r = a {operator} b", [operand(dtype), operand(other, True)], "int32",
                     "different signedness")

# Numbers: they take the tensor's type unless their kind is higher; in comparisons they take part.
NUMBERS_WRITTEN = {"3": ("int32", 3), "-3": ("int32", -3), "2.5": ("fp32", 2.5), "True": ("int1", 1), "1e39": ("fp64", 1e39), "5000000000": ("int64", 5 * 10**9)}


def fits(value, dtype):
    if dtype not in INTEGERS:
        return True
    info = np.iinfo(dtype)
    return info.min <= value <= info.max


def test_number(dtype, text):
    a = operand(dtype)
    number_type, value = NUMBERS_WRITTEN[text]
    result = PROMOTIONS["constant", "plain"][dtype, number_type]
    what = f"{dtype} + {text}"
    if result in INTEGERS and not fits(value, result):
        message = "meets an unsigned tensor" if value < 0 and result.startswith("u") else "is out of range for the tensor's type"
        return expect_error(checks, what, f"r = a + {text}", [a], result, message)
    constant = convert(np.asarray([value]), result)
    left, right = arithmetic("-", convert(a.values, result), constant, result), arithmetic("-", constant, convert(a.values, result), result)
    actual = evaluate(f"r0 = a - {text}\nr1 = {text} - a", [a], [result, result])
    checks.equal(actual[0], left, f"{dtype} - {text}")
    return checks.equal(actual[1], right, f"{text} - {dtype}")


for dtype in NUMBERS:
    for text in NUMBERS_WRITTEN:
        checks.run(f"{dtype} and {text}", test_number, dtype, text)


def test_comparison_with_number(dtype, text):
    a = operand(dtype)
    number_type, value = NUMBERS_WRITTEN[text]
    common = PROMOTIONS["tensors", "plain"][dtype, number_type]
    x, y = convert(a.values, common), convert(np.asarray([value]), common)
    names = list(COMPARISONS)
    actual = evaluate("\n".join(f"r{i} = a {name} {text}" for i, name in enumerate(names)), [a], ["int1"] * len(names))
    for name, got in zip(names, actual):
        checks.equal(got, COMPARISONS[name](x, y), f"{dtype} {name} {text}")


for dtype in NUMBERS:
    for text in ("3", "2.5", "0.1") if dtype in FLOATS else ("3", "2.5"):
        NUMBERS_WRITTEN.setdefault("0.1", ("fp32", 0.1))
        checks.run(f"compare {dtype} with {text}", test_comparison_with_number, dtype, text)


def test_nan(dtype):
    a, b = make(dtype, [np.nan, 1.0, np.nan, np.inf]), make(dtype, [1.0, np.nan, np.nan, np.inf])
    names = list(COMPARISONS)
    actual = evaluate("\n".join(f"r{i} = a {name} b" for i, name in enumerate(names)), [a, b], ["int1"] * len(names), n=4, block=4)
    for name, got in zip(names, actual):
        checks.equal(got, COMPARISONS[name](a.values, b.values), f"{dtype} {name} with NaN")


for dtype in FLOATS:
    checks.run(f"NaN {dtype}", test_nan, dtype)


def test_shifts(dtype):
    bits = np.iinfo(dtype).bits
    a, b = random(rng, dtype, N), make(dtype, rng.integers(0, bits, N))
    actual = evaluate("r0 = a << b\nr1 = a >> b\nr2 = a >> 1\nr3 = ~a\nr4 = 1 << b", [a, b], [dtype] * 5)
    one = np.ones(N, dtype)
    for got, want, what in zip(actual, (a.bits << b.bits, a.bits >> b.bits, a.bits >> np.dtype(dtype).type(1), ~a.bits, one << b.bits),
                               ("<<", ">>", ">> 1", "~", "1 <<")):
        checks.equal(got, want.astype(dtype), f"{what} {dtype}")


for dtype in INTEGERS:
    checks.run(f"shifts {dtype}", test_shifts, dtype)


def test_left_open(dtype):
    """What Triton leaves open, as docs/language.md has it."""
    info = np.iinfo(dtype)
    least, minus_one = info.min, (-1 if info.min else info.max)
    a = make(dtype, np.resize(np.array([5, 0, least, info.max, least, 5, least, info.max], dtype), N))
    b = make(dtype, np.resize(np.array([0, 0, 0, 0, minus_one, info.bits, info.bits + 1, info.max], dtype), N))
    quotient, remainder, left, right = evaluate("r0 = a // b\nr1 = a % b\nr2 = a << b\nr3 = a >> b", [a, b], [dtype] * 4)
    all_bits = np.dtype(dtype).type(minus_one)
    checks.equal(quotient[:5], np.array([all_bits] * 4 + [least], dtype), f"{dtype} by 0, and the least by -1")
    checks.equal(remainder[:5], np.array([5, 0, least, info.max, 0], dtype), f"{dtype} modulo 0, and the least modulo -1")
    one = evaluate("r = a // b", [make(dtype, np.array([5], dtype)), make(dtype, np.array([0], dtype))], [dtype], n=1, block=1)
    checks.equal(one, np.array([all_bits]), f"a tile of one {dtype} by 0")
    checks.equal(left[5:8], np.zeros(3, dtype), f"{dtype} << too far")
    checks.equal(right[5:8], np.array([0, all_bits if info.min else 0, 0], dtype), f"{dtype} >> too far")


for dtype in INTEGERS if not IS_CUDA else []:
    checks.run(f"left open {dtype}", test_left_open, dtype)


ROWS = """def kernel(x, out):
    row = tl.arange(0, 8)[:, None]
    at = row * 128 + tl.arange(0, 128)[None, :]
    tl.store(out + at, tl.load(x + at) // 3 % (row - 2))
"""


def test_numbers_of_rows(dtype):
    """Divisors of which each register holds another one, 0 and -1 among them."""
    x, out = make(dtype, rng.integers(-100, 100, 1024)), make(dtype, np.zeros(1024))
    run_kernel(ROWS, [x, out], num_warps=1)
    quotients = truncated_quotient(x.values, np.full(1024, 3)).reshape(8, 128)
    want = [row - truncated_quotient(row, np.full(128, n)) * n if n else row for n, row in zip(range(-2, 6), quotients)]
    checks.equal(out.values, np.array(want).reshape(1024).astype(dtype), f"{dtype} modulo the numbers of rows")


for dtype in ("int32", "int64"):
    checks.run(f"numbers of rows {dtype}", test_numbers_of_rows, dtype)


def test_negation(dtype):
    a = random(rng, dtype, N)
    want = (np.zeros(N, dtype) - a.bits) if dtype in INTEGERS else -a.values
    checks.equal(evaluate("r = -a", [a], dtype), want, f"- {dtype}")


for dtype in NUMBERS:
    checks.run(f"negation {dtype}", test_negation, dtype)


def test_wrapped(dtype):
    """A result that wraps is the wrapped number to whatever reads it next."""
    info = np.iinfo(dtype)
    a = make(dtype, rng.choice([info.min, info.min + 1, info.min // 2, 0, 1, 2, info.max // 2, info.max - 1, info.max], N))
    x = a.bits
    results = {"tl.abs(a)": np.abs(x), "-a": np.zeros(N, dtype) - x, "a + 1": x + np.dtype(dtype).type(1), "a - 1": x - np.dtype(dtype).type(1), "a * a": x * x,
               "a + a": x + x, "a << 1": x << np.dtype(dtype).type(1)}
    body = "\n".join(f"r{2 * i} = {text} > 1\nr{2 * i + 1} = tl.maximum({text}, b)" for i, text in enumerate(results))
    actual = evaluate(body, [a, make(dtype, np.ones(N))], ["int1", dtype] * len(results))
    for i, (text, want) in enumerate(results.items()):
        checks.equal(actual[2 * i], want > 1, f"{text} > 1 {dtype}")
        checks.equal(actual[2 * i + 1], np.maximum(want, np.dtype(dtype).type(1)), f"maximum of {text} and 1 {dtype}")


for dtype in INTEGERS:
    checks.run(f"wrapped {dtype}", test_wrapped, dtype)


def test_logic():
    a, b = random(rng, "int1", N), random(rng, "int1", N)
    lines = ["a and b", "a or b", "not a", "a & b", "a | b", "a ^ b", "~a", "a.logical_and(b)", "a.logical_or(b)"]
    x, y = a.bits, b.bits
    want = [x & y, x | y, ~x, x & y, x | y, x ^ y, ~x, x & y, x | y]
    for line, got, expected in zip(lines, evaluate("\n".join(f"r{i} = {line}" for i, line in enumerate(lines)), [a, b], ["int1"] * len(lines)), want):
        checks.equal(got, expected, line)


checks.run("logic", test_logic)


def test_named(dtype):
    a, b = operand(dtype), operand(dtype)
    actual = evaluate("r0 = tl.add(a, b)\nr1 = tl.sub(a, b, sanitize_overflow=False)\nr2 = tl.mul(a, b)", [a, b], [dtype] * 3)
    for operator, got in zip("+-*", actual):
        checks.equal(got, arithmetic(operator, convert(a.values, dtype), convert(b.values, dtype), dtype), f"tl function for {operator} {dtype}")


for dtype in NUMBERS:
    checks.run(f"named {dtype}", test_named, dtype)


def test_overflow_checks():
    a, b = make("int32", np.full(N, 2**30)), make("int32", np.full(N, 2))
    for operator in ("+ b + a + a", "* b", "- a * 3"):
        try:
            evaluate(f"r = a {operator}", [a, b], "int32", debug=True)
            checks.expect(False, f"overflow of {operator} with debug is reported")
        except Exception as problem:
            checks.expect("overflow detected for operation" in str(problem), f"overflow of {operator}: {problem}")
    checks.run("no overflow", lambda: checks.equal(evaluate("r = a // 4 + b", [a, b], "int32", debug=True), np.full(N, 2**28 + 2), "sum with debug"))


checks.run("overflow", test_overflow_checks)
checks.exit()

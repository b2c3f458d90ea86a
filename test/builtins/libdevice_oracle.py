"""All functions of libdevice, for every overload, against independent definitions in exact or float64 arithmetic."""
import math
import os
import re
import struct
from fractions import Fraction

from builtin_test import Checks, Data, evaluate, expect_error, make, np
from rounding_reference import square_root, to_float, to_integer
from special_reference import (bessel_i, bessel_j, bessel_y, erfcinv, erfcx, erfinv, normcdf, normcdfinv)

checks = Checks()
rng = np.random.default_rng(17)
np.seterr(all="ignore")
CODES = {"i": "int32", "u": "uint32", "l": "int64", "w": "uint64", "f": "fp32", "d": "fp64"}
KIND = {"f": np.float32, "d": np.float64}
N = 53
tested = set()


def sample(code, low=-4.0, high=4.0):
    """Random arguments; a range for floats, all bits for integers unless a range of integers is given."""
    if code in "fd":
        return make(CODES[code], rng.uniform(low, high, N))
    if isinstance(low, int):
        return make(CODES[code], rng.integers(low, high, N))
    info = np.iinfo(CODES[code])
    return Data(CODES[code], rng.integers(info.min, info.max, N, CODES[code], endpoint=True))


def run(name, overload, ranges, function, tolerance=None):
    """overload: `ff>f`. function: of Python numbers. tolerance: in units of the result's last place; None: exact."""
    arguments, result = overload.split(">")
    tested.add((name, overload))
    inputs = [sample(code, *ranges[min(i, len(ranges) - 1)]) if ranges else sample(code) for i, code in enumerate(arguments)]
    call = f"r = libdevice.{name}({', '.join('abcd'[:len(inputs)])})"
    actual = evaluate(call, inputs, CODES[result])
    expected = [function(*(each.values[i].item() for each in inputs)) for i in range(N)]
    what = f"{name} {overload}"
    if result in "fd" and tolerance is not None:
        unit = 2.0**-24 if result == "f" else 2.0**-53
        checks.close(actual, np.array(expected, np.float64), what, rtol=2 * tolerance * unit, atol=tolerance * unit)
    elif result in "fd":
        checks.equal(actual.astype(KIND[result]), np.array(expected).astype(KIND[result]), what)
    else:
        bits = 64 if result in "lw" else 32
        wrapped = np.array([int(value) % 2**bits for value in expected], f"uint{bits}")
        checks.equal(actual.view(f"uint{bits}"), wrapped, what)


def test(name, overloads, ranges, function, tolerance=None):
    for overload in overloads.split():
        checks.run(f"{name} {overload}", run, name, overload, ranges, function, tolerance)


FLOATS1, FLOATS2, FLOATS3, FLOATS4 = "f>f d>d", "ff>f dd>d", "fff>f ddd>d", "ffff>f dddd>d"
ANY, POSITIVE, UNIT = [(-4.0, 4.0)], [(1e-2, 8.0)], [(-0.99, 0.99)]

# Functions of one float, with a few units of error.
for name, ranges, function in (
    ("sin", ANY, math.sin), ("cos", ANY, math.cos), ("tan", [(-1.4, 1.4)], math.tan), ("asin", UNIT, math.asin), ("acos", UNIT, math.acos),
    ("atan", ANY, math.atan), ("sinh", ANY, math.sinh), ("cosh", ANY, math.cosh), ("tanh", ANY, math.tanh), ("asinh", ANY, math.asinh),
    ("acosh", [(1.01, 9.0)], math.acosh), ("atanh", UNIT, math.atanh), ("exp", ANY, math.exp), ("exp2", ANY, lambda x: 2.0**x),
    ("exp10", ANY, lambda x: 10.0**x), ("expm1", ANY, math.expm1), ("log", POSITIVE, math.log), ("log2", POSITIVE, math.log2),
    ("log10", POSITIVE, math.log10), ("log1p", [(-0.9, 5.0)], math.log1p), ("erf", ANY, math.erf), ("erfc", ANY, math.erfc),
    ("sinpi", ANY, lambda x: math.sin(math.pi * x)), ("cospi", ANY, lambda x: math.cos(math.pi * x)), ("rsqrt", POSITIVE, lambda x: x**-0.5),
    ("cbrt", ANY, lambda x: math.copysign(abs(x)**(1 / 3), x)), ("rcbrt", POSITIVE, lambda x: x**(-1 / 3)), ("lgamma", POSITIVE, math.lgamma),
    ("tgamma", [(0.2, 6.0)], math.gamma), ("erfinv", UNIT, erfinv), ("erfcinv", [(0.02, 1.98)], erfcinv), ("erfcx", [(-2.0, 9.0)], erfcx),
    ("normcdf", ANY, normcdf), ("normcdfinv", [(0.01, 0.99)], normcdfinv), ("j0", ANY, lambda x: bessel_j(0, x)),
    ("j1", ANY, lambda x: bessel_j(1, x)), ("y0", [(0.5, 8.0)], lambda x: bessel_y(0, x)), ("y1", [(0.5, 8.0)], lambda x: bessel_y(1, x)),
    ("cyl_bessel_i0", ANY, lambda x: bessel_i(0, x)), ("cyl_bessel_i1", ANY, lambda x: bessel_i(1, x))):
    test(name, FLOATS1, ranges, function, 64)
test("jn", "if>f id>d", [(0, 5), (0.5, 8.0)], bessel_j, 256)
test("yn", "if>f id>d", [(0, 4), (1.0, 8.0)], bessel_y, 1024)

# Exact functions of floats.
for name, function in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc), ("rint", round), ("nearbyint", round), ("abs", abs),
                       ("round", lambda x: math.copysign(math.floor(abs(x) + 0.5), x)), ("logb", lambda x: math.frexp(x)[1] - 1)):
    test(name, FLOATS1, [(-9.0, 9.0)], function)
test("abs", "i>i l>l", None, abs)
test("ilogb", "f>i d>i", ANY, lambda x: math.frexp(x)[1] - 1)
test("llrint", "f>l d>l", [(-1e6, 1e6)], round)
test("llround", "f>l d>l", [(-1e6, 1e6)], lambda x: int(math.copysign(math.floor(abs(x) + 0.5), x)))
test("copysign", FLOATS2, ANY, math.copysign)
test("fdim", FLOATS2, ANY, lambda x, y: max(Fraction(x) - Fraction(y), 0), 1)
test("fmod", FLOATS2, [(-50.0, 50.0), (0.5, 4.0)], math.fmod)
test("remainder", FLOATS2, [(-50.0, 50.0), (0.5, 4.0)], math.remainder)
test("nextafter", "ff>f", ANY, lambda x, y: float(np.nextafter(np.float32(x), np.float32(y))))
test("nextafter", "dd>d", ANY, lambda x, y: float(np.nextafter(x, y)))
test("ldexp", "fi>f di>d", [(-4.0, 4.0), (-9, 9)], math.ldexp)
test("scalbn", "fi>f di>d", [(-4.0, 4.0), (-9, 9)], math.ldexp)
test("saturatef", "f>f", ANY, lambda x: min(max(x, 0.0), 1.0))
test("signbit", "f>i d>i", ANY, lambda x: math.copysign(1, x) < 0)
test("sqrt", FLOATS1, POSITIVE, math.sqrt, 2)

# Of several floats.
test("atan2", FLOATS2, ANY, math.atan2, 8)
test("pow", FLOATS2, [(0.1, 4.0), (-3.0, 3.0)], math.pow, 32)
test("pow", "fi>f di>d", [(0.5, 3.0), (-5, 6)], lambda x, n: x**n, 32)
test("hypot", FLOATS2, ANY, math.hypot, 8)
test("rhypot", FLOATS2, POSITIVE, lambda x, y: 1 / math.hypot(x, y), 8)
test("norm3d", FLOATS3, ANY, math.hypot, 8)
test("rnorm3d", FLOATS3, POSITIVE, lambda *v: 1 / math.hypot(*v), 8)
test("norm4d", FLOATS4, ANY, math.hypot, 8)
test("rnorm4d", FLOATS4, POSITIVE, lambda *v: 1 / math.hypot(*v), 8)
test("fast_dividef", "ff>f", POSITIVE, lambda x, y: x / y, 8)
test("fast_powf", "ff>f", [(0.1, 4.0), (-3.0, 3.0)], math.pow, 2**10)
for name, ranges, function in (("sin", ANY, math.sin), ("cos", ANY, math.cos), ("tan", UNIT, math.tan), ("tanh", ANY, math.tanh), ("exp", ANY, math.exp), ("exp10", ANY, lambda x: 10.0**x),
                               ("log", POSITIVE, math.log), ("log2", POSITIVE, math.log2), ("log10", POSITIVE, math.log10)):
    test(f"fast_{name}f", "f>f", ranges, function, 2**8)  # __sinf and its like have an absolute error

# One rounding in a given direction.
for mode in "nzdu":
    for code, kind in KIND.items():
        one, two, three = f"{code}>{code}", f"{code}{code}>{code}", f"{code}{code}{code}>{code}"
        test(f"add_r{mode}", two, ANY, lambda x, y: to_float(Fraction(x) + Fraction(y), kind, mode))
        test(f"sub_r{mode}", two, ANY, lambda x, y: to_float(Fraction(x) - Fraction(y), kind, mode))
        test(f"mul_r{mode}", two, ANY, lambda x, y: to_float(Fraction(x) * Fraction(y), kind, mode))
        test(f"div_r{mode}", two, POSITIVE, lambda x, y: to_float(Fraction(x) / Fraction(y), kind, mode))
        test(f"rcp_r{mode}", one, POSITIVE, lambda x: to_float(1 / Fraction(x), kind, mode))
        test(f"sqrt_r{mode}", one, POSITIVE, lambda x: square_root(Fraction(x), kind, mode))
        test(f"fma_r{mode}", three, ANY, lambda x, y, z: to_float(Fraction(x) * Fraction(y) + Fraction(z), kind, mode))
        for source, bits, prefix in (("i", 32, "int"), ("u", 32, "uint"), ("l", 64, "ll"), ("w", 64, "ull")):
            target = "float" if code == "f" else "double"
            if bits == 64 or code == "f" or mode == "n":
                test(f"{prefix}2{target}_r{mode}", f"{source}>{code}", None, lambda n: to_float(Fraction(n), kind, mode))
            low, high = (-2**(bits - 1), 2**(bits - 1) - 1) if source in "il" else (0, 2**bits - 1)
            result = "i" if bits == 32 else "l"
            test(f"{target}2{prefix}_r{mode}", f"{code}>{result}", [(-1e10, 1e10) if mode == "z" else (-99.0, 99.0)],
                 lambda x: to_integer(x, low, high, mode))
    test(f"double2float_r{mode}", "d>f", ANY, lambda x: to_float(Fraction(x), np.float32, mode))
test("fma", "fff>f", ANY, lambda x, y, z: to_float(Fraction(x) * Fraction(y) + Fraction(z), np.float32))
test("fma", "ddd>d", ANY, lambda x, y, z: to_float(Fraction(x) * Fraction(y) + Fraction(z), np.float64))
test("rsqrt_rn", "f>f", POSITIVE, lambda x: float(np.float32(1 / np.sqrt(np.longdouble(x)))))

# Bits.
unsigned = lambda n, bits: n % 2**bits  # noqa: E731
signed = lambda n, bits: (n + 2**(bits - 1)) % 2**bits - 2**(bits - 1)  # noqa: E731
for overload, bits in (("i>i", 32), ("l>i", 64)):
    test("clz", overload, None, lambda n: bits - unsigned(n, bits).bit_length())
    test("popc", overload, None, lambda n: bin(unsigned(n, bits)).count("1"))
    test("ffs", overload, None, lambda n: (n & -n).bit_length())
for overload, bits in (("i>i", 32), ("l>l", 64)):
    test("brev", overload, None, lambda n: int(format(unsigned(n, bits), f"0{bits}b")[::-1], 2))
for overload, bits in (("ii>i", 32), ("uu>u", 32), ("ll>l", 64), ("ww>w", 64)):
    test("mulhi", overload, None, lambda x, y: (x * y) >> bits)
test("mul24", "ii>i", None, lambda x, y: signed(x, 24) * signed(y, 24))
test("mul24", "uu>u", None, lambda x, y: (x % 2**24) * (y % 2**24))
test("sad", "iiu>i uuu>u", None, lambda x, y, z: abs(x - y) + z)
test("hadd", "ii>i uu>u", None, lambda x, y: (x + y) >> 1)
test("rhadd", "ii>i uu>u", None, lambda x, y: (x + y + 1) >> 1)


def byte_perm(x, y, selector):
    """Each nibble of the selector picks a byte by its lower three bits."""
    data = struct.pack("<II", unsigned(x, 32), unsigned(y, 32))
    return sum(data[(selector >> (4 * i)) & 7] << (8 * i) for i in range(4))


test("byte_perm", "iii>i", [(-2**31, 2**31), (-2**31, 2**31), (0, 2**16)], byte_perm)


def bits_of(x, code):
    return struct.unpack({"f": "<I", "d": "<Q"}[code], struct.pack("<" + code, x))[0]


def float_of(n, code):
    return struct.unpack("<" + code, struct.pack({"f": "<I", "d": "<Q"}[code], n % 2**(32 if code == "f" else 64)))[0]


test("int_as_float", "i>f", [(0, 2**30)], lambda n: float_of(n, "f"))
test("uint_as_float", "u>f", [(0, 2**30)], lambda n: float_of(n, "f"))
test("float_as_int", "f>i", ANY, lambda x: bits_of(x, "f"))
test("float_as_uint", "f>i", ANY, lambda x: bits_of(x, "f"))
test("longlong_as_double", "l>d", [(0, 2**61)], lambda n: float_of(n, "d"))
test("double_as_longlong", "d>l", ANY, lambda x: bits_of(x, "d"))
test("hiloint2double", "ii>d", [(0, 2**30), (-2**31, 2**31)], lambda high, low: float_of(high * 2**32 + unsigned(low, 32), "d"))
test("double2loint", "d>i", ANY, lambda x: bits_of(x, "d") % 2**32)
test("double2hiint", "d>i", ANY, lambda x: bits_of(x, "d") >> 32)
test("rcp64h", "d>d", POSITIVE, lambda x: 1 / x, 2.0**34)  # an approximation in the upper word


def test_predicates(name, overload, function):
    code = overload[0]
    tested.add((name, overload))
    x = make(CODES[code], [0.0, 1.5, -2.0, math.inf, -math.inf, math.nan, 1e-40])
    actual = evaluate(f"r = libdevice.{name}(a)", [x], "int1", n=7, block=8)
    checks.equal(actual, np.array([function(v) for v in x.values]), f"{name} {overload}")


for name, overloads, function in (("isnan", "f>b d>b", math.isnan), ("isinf", "f>b d>b", math.isinf), ("finitef", "f>b", math.isfinite),
                                  ("isfinited", "d>b", math.isfinite)):
    for overload in overloads.split():
        checks.run(f"{name} {overload}", test_predicates, name, overload, function)

def test_rests(name, code):
    """Any bits: tiny and huge divisors, ties, zeros with their signs."""
    kind, integer = KIND[code], np.uint32 if code == "f" else np.uint64
    bits = [rng.integers(0, np.iinfo(integer).max, 256, integer).view(kind) for _ in range(2)]
    tiny = rng.integers(1, 2**20, 256, integer).view(kind)
    halves = rng.integers(-40, 40, 256).astype(kind) / 2
    x = np.concatenate([bits[0], rng.standard_normal(256).astype(kind), halves, tiny * 3, [0.0, -0.0, np.inf, 1.0, np.nan]]).astype(kind)
    y = np.concatenate([bits[1], tiny, rng.choice([1, -2, 3], 256).astype(kind), tiny[::-1], [1.0, -1.0, 1.0, np.inf, 2.0]]).astype(kind)

    def reference(a, b):
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
            return math.nan
        return getattr(math, name)(a, b)

    expected = np.array([reference(float(a), float(b)) for a, b in zip(x, y)]).astype(kind)
    actual = evaluate(f"r = libdevice.{name}(a, b)", [make(CODES[code], x), make(CODES[code], y)], CODES[code], n=len(x), block=2048).astype(kind)
    for values in (actual, expected):
        values[np.isnan(values)] = np.nan  # one NaN is as good as another
    checks.equal(actual.view(integer), expected.view(integer), f"{name} of any {CODES[code]}")


for name in ("fmod", "remainder"):
    for code in "fd":
        checks.run(f"{name} of any bits {code}", test_rests, name, code)
for mode in "nzdu":
    zero = lambda mode=mode: evaluate(f"r = libdevice.ull2double_r{mode}(a)", [make("uint64", np.zeros(4, np.uint64))], "fp64", n=4, block=4)  # noqa: E731
    checks.run(f"ull2double_r{mode} of 0", lambda: checks.equal(zero().view(np.uint64), np.zeros(4, np.uint64), f"ull2double_r{mode} of 0 is +0"))

# Types: narrow floats are refused with a hint, mixed ones are promoted, and old paths reach the same functions.
half = make("fp16", np.ones(N))
checks.run("tanh fp16", expect_error, checks, "tanh fp16", "r = libdevice.tanh(a)", [half], "fp16", "convert the arguments first")
checks.run("pow mixed", lambda: checks.close(evaluate("r = libdevice.pow(a, 2.0)", [make("fp64", np.full(N, 3.0))], "fp64"), np.full(N, 9.0), "pow of fp64 and a literal"))


def test_known_powers(dtype, precise):
    """Exponents that are known: the exceptions of the function, and its rounding."""
    values = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 3e-30, -7e20, 1e-40, 12345.678, 0.1, 7.0, -0.3, 2.0**100, 1.0])
    data = make(dtype, np.resize(values, N))
    for exponent in ("2", "2.0", "0.5", "-1.0", "1.0", "-1"):
        with np.errstate(all="ignore"):
            # An array of exponents: numpy takes the root for a single 0.5, whose sign of -0 is another one.
            expected = np.power(data.values.astype(np.float64), np.full(data.values.shape, float(exponent))).astype(precise)
        actual = evaluate(f"r = libdevice.pow(a, {exponent})", [data], dtype)
        checks.expect(np.allclose(actual, expected, rtol=3e-7 if precise == np.float32 else 1e-15, atol=0, equal_nan=True)
                      and (np.signbit(actual) == np.signbit(expected))[~np.isnan(expected)].all(), f"pow {dtype} {exponent}: {actual} {expected}")


checks.run("known powers fp32", test_known_powers, "fp32", np.float32)
checks.run("known powers fp64", test_known_powers, "fp64", np.float64)
for path in ("tl.math.tanh", "tl.extra.cuda.libdevice.tanh", "tl.extra.libdevice.tanh", "tl.libdevice.tanh"):
    checks.run(path, lambda: checks.close(evaluate(f"r = {path}(a)", [make("fp32", np.full(N, 0.5))], "fp32"), np.tanh(np.full(N, 0.5)), path))

# Every overload that CUDA's libdevice.py of Triton 3.6 has is in the compiler's table, and was tested; and so is the one name that
# the portable libdevice.py has more.
FOLDER = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(FOLDER, "libdevice_overloads.txt")) as file:
    expected = {(name, overload) for name, *overloads in map(str.split, file) for overload in overloads}
with open(os.path.join(FOLDER, "..", "..", "src", "lang", "builtins", "LibdeviceTable.cpp")) as file:
    rows = re.findall(r'\{"(\w+)", "([^"]*)"\}', file.read())
known = {(name, overload.split(" ")[0]) for name, variants in rows for overload in variants.split(", ")}
checks.expect(len({name for name, _ in expected}) == 197, f"the list has {len({name for name, _ in expected})} names")
expected.add(("fast_tanhf", "f>f"))
checks.expect(known == expected, f"the table differs from the list: {sorted(known ^ expected)}")
if not checks.skipped:
    checks.expect(not expected - tested, f"untested: {sorted(expected - tested)}")
checks.exit()

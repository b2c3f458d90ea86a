#!/usr/bin/python3
"""Every elementwise op for every element type, against exact arithmetic: integers by Python, floats by fractions."""
import math
import os
import sys
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
from formats import FLOATS, INTEGERS, F32, F64  # noqa: E402
from harness import Kernel, Tally  # noqa: E402

COUNT = 256
random = np.random.default_rng(2)
tally = Tally()


def interesting_integers(kind):
    edges = [0, 1, 2, 3, (1 << kind.bits) - 1, 1 << (kind.bits - 1), (1 << (kind.bits - 1)) - 1, kind.bits, kind.bits - 1]
    values = [int(random.integers(0, 1 << 63)) * 2 + int(random.integers(0, 2)) for _ in range(COUNT)]
    values[: 2 * len(edges)] = edges + edges[::-1]
    return [kind.wrap(v) for v in values]


def interesting_floats(kind):
    values = [int(random.integers(0, 1 << 63)) * 2 + int(random.integers(0, 2)) & (2 * kind.sign - 1) for _ in range(COUNT)]
    near = random.standard_normal(COUNT // 2)
    values[: COUNT // 2] = [kind.encode(float(x)) for x in near]
    edges = [0, 1, kind.largest, kind.largest | kind.sign, kind.nan, 1 << kind.mantissa, kind.encode(1.0), kind.encode(-1.0), kind.encode(0.5)]
    if kind.kind != "fnuz":
        edges.append(kind.sign)
    if kind.infinity is not None:
        edges += [kind.infinity, kind.infinity | kind.sign]
    for i, edge in enumerate(edges):
        values[3 * i % COUNT] = edge
    return values


def trunc_div(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def integer_ops(kind):
    u, s, w = (lambda f: lambda a, b: f(a, b)), (lambda f: lambda a, b: f(kind.signed(a), kind.signed(b))), kind.bits
    return {
        "addi": u(lambda a, b: a + b), "subi": u(lambda a, b: a - b), "muli": u(lambda a, b: a * b),
        "andi": u(lambda a, b: a & b), "ori": u(lambda a, b: a | b), "xori": u(lambda a, b: a ^ b),
        "divui": u(lambda a, b: a // b if b else -1), "remui": u(lambda a, b: a % b if b else a),
        "ceildivui": u(lambda a, b: -(-a // b) if b else -1),
        "divsi": s(lambda a, b: trunc_div(a, b) if b else -1), "remsi": s(lambda a, b: a - b * trunc_div(a, b) if b else a),
        "floordivsi": s(lambda a, b: a // b if b else -1), "ceildivsi": s(lambda a, b: -(-a // b) if b else -1),
        "maxsi": s(max), "minsi": s(min), "maxui": u(max), "minui": u(min),
        "shli": u(lambda a, b: a << b if b < w else 0), "shrui": u(lambda a, b: a >> b if b < w else 0),
        "shrsi": lambda a, b: kind.signed(a) >> min(b, w),
    }


PREDICATES = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
              "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def compare(what, got, expected, show):
    bad = [i for i, (g, e) in enumerate(zip(got, expected)) if int(g) != int(e)]
    tally.check(what, not bad, "" if not bad else f"lane {bad[0]}: {show(bad[0])} gave {int(got[bad[0]])}, expected {int(expected[bad[0]])}")


def check_integers(kind):
    a, b = interesting_integers(kind), interesting_integers(kind)
    kernel, outputs = Kernel(COUNT), []
    va, vb = kernel.input("a", kind, np.array(a, np.uint64)), kernel.input("b", kind, np.array(b, np.uint64))
    tile = kernel.tile(kind.mlir)
    for name, function in integer_ops(kind).items():
        kernel.emit(f"%{name} = arith.{name} {va}, {vb} : {tile}")
        outputs.append((name, kernel.output(f"%{name}", kind), [kind.wrap(function(x, y)) for x, y in zip(a, b)]))
    boolean = INTEGERS[0]
    for name, function in PREDICATES.items():
        for prefix, value in (("", None),) if name in ("eq", "ne") else (("s", kind.signed), ("u", int)):
            value = value or int
            op = prefix + name
            kernel.emit(f"%cmp_{op} = arith.cmpi {op}, {va}, {vb} : {tile}")
            outputs.append((f"cmpi {op}", kernel.output(f"%cmp_{op}", boolean), [function(value(x), value(y)) for x, y in zip(a, b)]))
    for op, signed in (("mulsi_extended", True), ("mului_extended", False)):
        kernel.emit(f"%{op}_l, %{op}_h = arith.{op} {va}, {vb} : {tile}")
        value = kind.signed if signed else int
        outputs.append((op, kernel.output(f"%{op}_h", kind), [kind.wrap(value(x) * value(y) >> kind.bits) for x, y in zip(a, b)]))
    kernel.emit(f"%sum, %carry = arith.addui_extended {va}, {vb} : {tile}, {kernel.tile('i1')}")
    outputs.append(("carry", kernel.output("%carry", boolean), [x + y >> kind.bits for x, y in zip(a, b)]))
    kernel.emit(f"%sel = arith.select %cmp_ult, {va}, {vb} : {kernel.tile('i1')}, {tile}")
    outputs.append(("select", kernel.output("%sel", kind), [min(x, y) for x, y in zip(a, b)]))
    if kind.bits > 1:
        unary = {"absi": lambda x: abs(kind.signed(x)), "ctlz": lambda x: kind.bits - x.bit_length(), "ctpop": lambda x: bin(x).count("1"),
                 "cttz": lambda x: (x & -x).bit_length() - 1 if x else kind.bits}
        for op, function in unary.items():
            kernel.emit(f"%{op} = math.{op} {va} : {tile}")
            outputs.append((op, kernel.output(f"%{op}", kind), [kind.wrap(function(x)) for x in a]))
    kernel.run()
    for name, got, expected in outputs:
        compare(f"{name} {kind.name}", got, expected, lambda i: f"{a[i]}, {b[i]}")


# ---- Floats. A value is a Fraction, or a float when it is not finite; zeros carry their sign beside.

def negative(kind, bits):
    return bool(bits & kind.sign) and not kind.is_nan(bits)


def arithmetic(kind, value, negative_zero=False):
    """Encode the end of arithmetic in the format: an infinity stays one where there is one."""
    if isinstance(value, float) and math.isinf(value) and kind.infinity is not None:
        return kind.infinity | (kind.sign if value < 0 else 0)
    return kind.encode(value, negative_zero)


def finite(x):
    return not isinstance(x, float)


def exact(kind, a, b, python, fraction, zero_sign):
    """The rounded result of a two-operand op: Python floats where an operand is not finite, fractions elsewhere."""
    x, y = kind.decode(a), kind.decode(b)
    if finite(x) and finite(y):
        try:
            value = fraction(x, y)
        except ZeroDivisionError:
            value = math.nan if x == 0 else math.copysign(math.inf, -1 if negative(kind, a) != negative(kind, b) else 1)
        return arithmetic(kind, value, zero_sign(negative(kind, a), negative(kind, b), x, y))
    # `python` sees zeros with their signs.
    as_float = [math.copysign(0.0, -1 if negative(kind, p) else 1) if v == 0 else (v if not finite(v) else math.copysign(1.0, v))
                for p, v in ((a, x), (b, y))]
    try:
        return arithmetic(kind, python(*as_float))
    except (ZeroDivisionError, ValueError):
        return kind.nan


def divide(x, y):
    if y == 0:
        return math.nan if x == 0 or x != x else math.copysign(math.inf, math.copysign(1, x) * math.copysign(1, y))
    return x / y


def sign_of_sum(na, nb, x, y):
    return na and nb


def pick(kind, a, b, take_larger, propagate):
    if kind.is_nan(a) or kind.is_nan(b):
        if propagate or (kind.is_nan(a) and kind.is_nan(b)):
            return kind.nan
        return b if kind.is_nan(a) else a
    key = lambda bits: (kind.decode(bits), 0 if negative(kind, bits) else 1)
    return (max if take_larger else min)((a, b), key=key)


def float_binary(kind):
    product = lambda na, nb, x, y: na != nb
    return {
        "arith.addf": lambda a, b: exact(kind, a, b, lambda x, y: x + y, lambda x, y: x + y, sign_of_sum),
        "arith.subf": lambda a, b: exact(kind, a, b, lambda x, y: x - y, lambda x, y: x - y, lambda na, nb, x, y: na and not nb),
        "arith.mulf": lambda a, b: exact(kind, a, b, lambda x, y: x * y, lambda x, y: x * y, product),
        "arith.divf": lambda a, b: exact(kind, a, b, divide, lambda x, y: x / y, product),
        "tile.div_rn": lambda a, b: exact(kind, a, b, divide, lambda x, y: x / y, product),
        "arith.maxnumf": lambda a, b: pick(kind, a, b, True, False), "arith.minnumf": lambda a, b: pick(kind, a, b, False, False),
        "arith.maximumf": lambda a, b: pick(kind, a, b, True, True), "arith.minimumf": lambda a, b: pick(kind, a, b, False, True),
    }


def square_root(kind, a):
    x = kind.decode(a)
    if not finite(x):
        return arithmetic(kind, x) if x > 0 else kind.nan
    if x < 0:
        return kind.nan
    if x == 0:
        return a
    # Enough digits that rounding the root of the scaled integer, with a sticky bit, is exact.
    scale = 1200
    scaled = x * Fraction(4) ** scale
    root = math.isqrt(scaled.numerator // scaled.denominator)
    sticky = Fraction(1, 2) if Fraction(root) ** 2 != scaled else 0
    return arithmetic(kind, (Fraction(root) + sticky) / Fraction(2) ** scale)


def rounded_integer(kind, a, function):
    x = kind.decode(a)
    return a if not finite(x) else arithmetic(kind, Fraction(function(x)), negative(kind, a))


def float_unary(kind):
    away = lambda x: (1 if x >= 0 else -1) * math.floor(abs(x) + Fraction(1, 2))
    flip = (lambda a: a) if kind.kind == "fnuz" else None
    return {
        "arith.negf": lambda a: kind.nan if kind.is_nan(a) else (a if flip and a == 0 else a ^ kind.sign),
        "math.absf": lambda a: kind.nan if kind.is_nan(a) else a & (kind.sign - 1),
        "math.sqrt": lambda a: square_root(kind, a), "tile.sqrt_rn": lambda a: square_root(kind, a),
        "math.floor": lambda a: rounded_integer(kind, a, math.floor), "math.ceil": lambda a: rounded_integer(kind, a, math.ceil),
        "math.trunc": lambda a: rounded_integer(kind, a, math.trunc), "math.roundeven": lambda a: rounded_integer(kind, a, round),
        "math.round": lambda a: rounded_integer(kind, a, away),
    }


def fused(kind, a, b, c):
    x, y, z = kind.decode(a), kind.decode(b), kind.decode(c)
    if finite(x) and finite(y) and finite(z):
        product_sign = negative(kind, a) != negative(kind, b)
        return arithmetic(kind, x * y + z, product_sign and negative(kind, c))
    small = lambda bits, v: v if not finite(v) else (math.copysign(1.0, v) if v else math.copysign(0.0, -1 if negative(kind, bits) else 1))
    return arithmetic(kind, small(a, x) * small(b, y) + small(c, z))


def same(kind, got, expected):
    return int(got) == int(expected) or (kind.is_nan(got) and kind.is_nan(expected))


def compare_floats(what, kind, got, expected, show):
    bad = [i for i, (g, e) in enumerate(zip(got, expected)) if not same(kind, g, e)]
    tally.check(what, not bad, "" if not bad else f"lane {bad[0]}: {show(bad[0])} gave {int(got[bad[0]]):#x}, expected {int(expected[bad[0]]):#x}")


def float_predicates(kind):
    rows = {"ord": lambda x, y: True}
    for name, function in PREDICATES.items():
        rows["o" + name] = function
        rows["u" + name] = function
    return rows


def check_floats(kind):
    a, b, c = (interesting_floats(kind) for _ in range(3))
    kernel, outputs = Kernel(COUNT), []
    va, vb, vc = (kernel.input(n, kind, np.array(v, np.uint64)) for n, v in (("a", a), ("b", b), ("c", c)))
    tile = kernel.tile(kind.mlir)
    for i, (op, function) in enumerate(float_binary(kind).items()):
        kernel.emit(f"%bin{i} = {op} {va}, {vb} : {tile}")
        outputs.append((op, kernel.output(f"%bin{i}", kind), [function(x, y) for x, y in zip(a, b)]))
    for i, (op, function) in enumerate(float_unary(kind).items()):
        kernel.emit(f"%un{i} = {op} {va} : {tile}")
        outputs.append((op, kernel.output(f"%un{i}", kind), [function(x) for x in a]))
    kernel.emit(f"%fma = math.fma {va}, {vb}, {vc} : {tile}")
    outputs.append(("math.fma", kernel.output("%fma", kind), [fused(kind, x, y, z) for x, y, z in zip(a, b, c)]))
    kernel.emit(f"%sign = math.copysign {va}, {vb} : {tile}")
    booleans = []
    for op, function in float_predicates(kind).items():
        unordered = op.startswith("u")
        kernel.emit(f"%cmp_{op} = arith.cmpf {op}, {va}, {vb} : {tile}")
        expected = [(unordered if kind.is_nan(x) or kind.is_nan(y) else function(kind.decode(x), kind.decode(y))) for x, y in zip(a, b)]
        booleans.append((f"cmpf {op}", kernel.output(f"%cmp_{op}", INTEGERS[0]), expected))
    kernel.emit(f"%sel = arith.select %cmp_olt, {va}, {vb} : {kernel.tile('i1')}, {tile}")
    chosen = [x if e else y for x, y, e in zip(a, b, [not (kind.is_nan(x) or kind.is_nan(y)) and kind.decode(x) < kind.decode(y) for x, y in zip(a, b)])]
    outputs.append(("select", kernel.output("%sel", kind), chosen))
    for op, test in (("isnan", math.isnan), ("isinf", math.isinf), ("isfinite", math.isfinite)):
        kernel.emit(f"%{op} = math.{op} {va} : {tile}")
        booleans.append((op, kernel.output(f"%{op}", INTEGERS[0]),
                         [test(kind.decode(x)) if not finite(kind.decode(x)) else op == "isfinite" for x in a]))
    kernel.run()
    for name, got, expected in outputs:
        compare_floats(f"{name} {kind.name}", kind, got, expected, lambda i: f"{a[i]:#x}, {b[i]:#x}, {c[i]:#x}")
    for name, got, expected in booleans:
        compare(f"{name} {kind.name}", got, expected, lambda i: f"{a[i]:#x}, {b[i]:#x}")


# ---- Casts.

def check_casts_from_float(kind):
    a = interesting_floats(kind)
    kernel, outputs, integers = Kernel(COUNT), [], []
    va = kernel.input("a", kind, np.array(a, np.uint64))
    for other in FLOATS:
        if other.bits == kind.bits:
            continue
        op = "extf" if other.bits > kind.bits else "truncf"
        for mode in ("", " to_nearest_even", " toward_zero") if op == "truncf" else ("",):
            name = f"%{op}_{other.name}{mode.strip()}"
            kernel.emit(f"{name} = arith.{op} {va}{mode} : {kernel.tile(kind.mlir)} to {kernel.tile(other.mlir)}")
            cut = mode == " toward_zero"
            outputs.append((f"{op}{mode} {kind.name} to", other, kernel.output(name, other),
                            [other.encode(kind.decode(x), negative(kind, x), cut) for x in a]))
    for other in INTEGERS:
        for op, low, high in (("fptosi", -(1 << (other.bits - 1)), (1 << (other.bits - 1)) - 1), ("fptoui", 0, (1 << other.bits) - 1)):
            kernel.emit(f"%{op}_{other.name} = arith.{op} {va} : {kernel.tile(kind.mlir)} to {kernel.tile(other.mlir)}")
            def convert(x):
                value = kind.decode(x)
                if finite(value):
                    return other.wrap(min(max(math.trunc(value), low), high))
                return 0 if value != value else other.wrap(high if value > 0 else low)
            integers.append((f"{op} {kind.name} to {other.name}", kernel.output(f"%{op}_{other.name}", other), [convert(x) for x in a]))
    kernel.run()
    for name, other, got, expected in outputs:
        compare_floats(f"{name} {other.name}", other, got, expected, lambda i: f"{a[i]:#x}")
    for name, got, expected in integers:
        compare(name, got, expected, lambda i: f"{a[i]:#x}")


def check_casts_from_integer(kind):
    a = interesting_integers(kind)
    kernel, outputs, integers = Kernel(COUNT), [], []
    va = kernel.input("a", kind, np.array(a, np.uint64))
    for other in FLOATS:
        for op, value in (("sitofp", kind.signed), ("uitofp", int)):
            kernel.emit(f"%{op}_{other.name} = arith.{op} {va} : {kernel.tile(kind.mlir)} to {kernel.tile(other.mlir)}")
            outputs.append((f"{op} {kind.name} to", other, kernel.output(f"%{op}_{other.name}", other), [other.encode(Fraction(value(x))) for x in a]))
    for other in INTEGERS:
        if other.bits == kind.bits:
            continue
        for op, value in (("extsi", kind.signed), ("extui", int)) if other.bits > kind.bits else (("trunci", int),):
            kernel.emit(f"%{op}_{other.name} = arith.{op} {va} : {kernel.tile(kind.mlir)} to {kernel.tile(other.mlir)}")
            integers.append((f"{op} {kind.name} to {other.name}", kernel.output(f"%{op}_{other.name}", other), [other.wrap(value(x)) for x in a]))
    kernel.run()
    for name, other, got, expected in outputs:
        compare_floats(f"{name} {other.name}", other, got, expected, lambda i: f"{a[i]:#x}")
    for name, got, expected in integers:
        compare(name, got, expected, lambda i: f"{a[i]:#x}")


# ---- The math dialect, against the double functions; f32 and f64 within one unit of the last place, narrow ones exactly
# rounded but for rare ties.

MATH = {"exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
        "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
        "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
        "erf": np.vectorize(math.erf), "erfc": np.vectorize(math.erfc), "cbrt": np.cbrt, "rsqrt": lambda x: 1 / np.sqrt(x)}


def as_doubles(kind, bits):
    return np.array([-0.0 if b == kind.sign and kind.kind != "fnuz" else float(kind.decode(b)) for b in bits])


def check_math(kind):
    values = random.standard_normal(COUNT) * random.choice([0.1, 1, 10], COUNT)
    bits = [arithmetic(kind, float(v)) for v in values]
    x = as_doubles(kind, bits)
    other = [arithmetic(kind, float(v)) for v in random.standard_normal(COUNT)]
    y = as_doubles(kind, other)
    kernel, outputs = Kernel(COUNT), []
    va, vb = kernel.input("a", kind, np.array(bits, np.uint64)), kernel.input("b", kind, np.array(other, np.uint64))
    tile = kernel.tile(kind.mlir)
    with np.errstate(all="ignore"):
        for op, function in MATH.items():
            kernel.emit(f"%{op} = math.{op} {va} : {tile}")
            outputs.append((op, kernel.output(f"%{op}", kind), function(x)))
        for op, function in (("powf", np.power), ("atan2", np.arctan2)):
            kernel.emit(f"%{op} = math.{op} {va}, {vb} : {tile}")
            outputs.append((op, kernel.output(f"%{op}", kind), function(x, y)))
        kernel.emit(f"%remf = arith.remf {va}, {vb} : {tile}")
        outputs.append(("remf", kernel.output("%remf", kind), np.fmod(x, y)))
    kernel.run()
    units = 3 if kind is F64 else 1
    for op, got, expected in outputs:
        want = [arithmetic(kind, float(e)) for e in expected]
        bad = [i for i in range(COUNT) if not same(kind, got[i], want[i]) and (kind.is_nan(got[i]) or kind.is_nan(want[i])
               or abs(int(got[i]) - int(want[i])) > units)]
        tally.check(f"math.{op} {kind.name}", not bad, "" if not bad else f"{x[bad[0]]}, {y[bad[0]]} gave {int(got[bad[0]]):#x}, expected {want[bad[0]]:#x}")


for integer in INTEGERS:
    check_integers(integer)
    check_casts_from_integer(integer)
for float_kind in FLOATS:
    check_floats(float_kind)
    check_casts_from_float(float_kind)
    check_math(float_kind)
sys.exit(tally.finish())

#!/usr/bin/python3
"""Every `__nv_*` function, against numpy, Python's integers, exact fractions, or identities between functions."""
import math
import os
import sys
from fractions import Fraction

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
from formats import F32, F64, INTEGERS  # noqa: E402
from harness import Kernel, Tally  # noqa: E402

COUNT = 128
random = np.random.default_rng(3)
tally = Tally()
_, _, _, I32, I64 = INTEGERS
KINDS = {"f": F32, "d": F64, "i": I32, "l": I64}
covered = set()


def values_for(letter, low, high, count=COUNT):
    if letter in "fd":
        x = random.uniform(low, high, count)
        return x.astype(np.float32 if letter == "f" else np.float64)
    return random.integers(0, 1 << 32 if letter == "i" else 1 << 63, count).astype(np.uint32 if letter == "i" else np.uint64)


def run_all(cases):
    """cases: (symbol, signature such as "ff>f", inputs). Runs each symbol on its inputs and returns the results."""
    results = []
    for begin in range(0, len(cases), 24):
        kernel, outputs = Kernel(COUNT), []
        for number, (symbol, signature, inputs) in enumerate(cases[begin:begin + 24]):
            operands, result = signature.split(">")
            names = [kernel.input(f"a{number}_{i}", KINDS[letter], x.view(KINDS[letter].numpy)) for i, (letter, x) in enumerate(zip(operands, inputs))]
            types = ", ".join(kernel.tile(KINDS[letter].mlir) for letter in operands)
            kernel.emit(f'%r{number} = tile.extern "{symbol}"({", ".join(names)}) {{isPure}} : ({types}) -> {kernel.tile(KINDS[result].mlir)}')
            outputs.append((kernel.output(f"%r{number}", KINDS[result]), result))
            covered.add(symbol)
        kernel.run()
        results += [out.view({"f": np.float32, "d": np.float64, "i": np.int32, "l": np.int64}[letter]) for out, letter in outputs]
    return results


def close(symbol, got, expected, units):
    kind = np.float32 if got.dtype == np.float32 else np.float64
    with np.errstate(all="ignore"):
        want = np.asarray(expected, np.float64).astype(kind)
        bound = units * np.abs(np.spacing(want.astype(kind)))
        bad = ~((np.abs(got.astype(np.float64) - want.astype(np.float64)) <= bound) | (got == want) | (np.isnan(got) & np.isnan(want)))
    tally.check(symbol, not bad.any(), f"{int(bad.sum())} lanes, first {np.argmax(bad)}: gave {got[np.argmax(bad)]}, expected {want[np.argmax(bad)]}")


# ---- Functions of floats: name, numpy, low, high. `f` is appended for f32.
UNARY = [("exp", np.exp, -50, 50), ("exp2", np.exp2, -50, 50), ("exp10", lambda x: 10.0 ** x, -20, 20), ("expm1", np.expm1, -2, 2),
         ("log", np.log, 0.01, 100), ("log2", np.log2, 0.01, 100), ("log10", np.log10, 0.01, 100), ("log1p", np.log1p, -0.9, 9),
         ("sin", np.sin, -9, 9), ("cos", np.cos, -9, 9), ("tan", np.tan, -1.5, 1.5), ("asin", np.arcsin, -1, 1), ("acos", np.arccos, -1, 1),
         ("atan", np.arctan, -9, 9), ("sinh", np.sinh, -9, 9), ("cosh", np.cosh, -9, 9), ("tanh", np.tanh, -3, 3), ("asinh", np.arcsinh, -9, 9),
         ("acosh", np.arccosh, 1, 9), ("atanh", np.arctanh, -0.9, 0.9), ("sqrt", np.sqrt, 0, 9), ("rsqrt", lambda x: 1 / np.sqrt(x), 0.1, 9),
         ("cbrt", np.cbrt, -9, 9), ("rcbrt", lambda x: 1 / np.cbrt(x), 0.1, 9), ("fabs", np.abs, -9, 9), ("floor", np.floor, -9, 9),
         ("ceil", np.ceil, -9, 9), ("trunc", np.trunc, -9, 9), ("rint", np.rint, -9, 9), ("nearbyint", np.rint, -9, 9),
         ("round", lambda x: np.trunc(x + np.copysign(0.5, x)), -9, 9), ("logb", lambda x: np.floor(np.log2(np.abs(x))), 0.1, 9),
         ("erf", np.vectorize(math.erf), -3, 3), ("erfc", np.vectorize(math.erfc), -3, 3), ("lgamma", np.vectorize(math.lgamma), 3, 9),
         ("tgamma", np.vectorize(math.gamma), 0.1, 9), ("normcdf", lambda x: np.vectorize(math.erfc)(-x / math.sqrt(2)) / 2, -3, 3),
         ("sinpi", lambda x: np.sin(np.pi * x), -0.4, 0.4), ("cospi", lambda x: np.cos(np.pi * x), -0.4, 0.4)]
cases, expectations = [], []
for name, function, low, high in UNARY:
    for letter, suffix in (("f", "f"), ("d", "")):
        x = values_for(letter, low, high)
        cases.append((f"__nv_{name}{suffix}", f"{letter}>{letter}", [x]))
        expectations.append((function(x.astype(np.float64)), 1 if letter == "f" else 8))
for name, function in (("sinf", np.sin), ("cosf", np.cos), ("tanf", np.tan), ("expf", np.exp)):
    x = values_for("f", -1, 1)
    cases.append((f"__nv_fast_{name}", "f>f", [x]))
    expectations.append((function(x.astype(np.float64)), 1))
for name, function in (("logf", np.log), ("log2f", np.log2), ("log10f", np.log10), ("exp10f", lambda x: 10.0 ** x)):
    x = values_for("f", 0.1, 5)
    cases.append((f"__nv_fast_{name}", "f>f", [x]))
    expectations.append((function(x.astype(np.float64)), 1))
BINARY = [("pow", np.power, 0.1, 5), ("atan2", np.arctan2, -5, 5), ("hypot", np.hypot, -5, 5), ("rhypot", lambda a, b: 1 / np.hypot(a, b), -5, 5),
          ("fmod", np.fmod, -9, 9), ("fdim", lambda a, b: np.maximum(a - b, 0), -5, 5), ("copysign", np.copysign, -5, 5),
          ("remainder", lambda a, b: np.vectorize(math.remainder)(a, b), -9, 9), ("fmin", np.fmin, -5, 5), ("fmax", np.fmax, -5, 5)]
for name, function, low, high in BINARY:
    for letter, suffix in (("f", "f"), ("d", "")):
        x, y = values_for(letter, low, high), values_for(letter, low, high)
        cases.append((f"__nv_{name}{suffix}", f"{letter}{letter}>{letter}", [x, y]))
        expectations.append((function(x.astype(np.float64), y.astype(np.float64)), 1 if letter == "f" else 4))
for letter, suffix in (("f", "f"), ("d", "")):
    dtype = np.float32 if letter == "f" else np.float64
    x, y, z, w = (values_for(letter, -5, 5) for _ in range(4))
    cases.append((f"__nv_nextafter{suffix}", f"{letter * 2}>{letter}", [x, y]))
    expectations.append((np.nextafter(x, y), 0))
    norm = lambda *v: np.sqrt(sum(a.astype(np.float64) ** 2 for a in v))
    cases += [(f"__nv_norm3d{suffix}", f"{letter * 3}>{letter}", [x, y, z]), (f"__nv_rnorm3d{suffix}", f"{letter * 3}>{letter}", [x, y, z]),
              (f"__nv_norm4d{suffix}", f"{letter * 4}>{letter}", [x, y, z, w]), (f"__nv_rnorm4d{suffix}", f"{letter * 4}>{letter}", [x, y, z, w])]
    expectations += [(norm(x, y, z), 2), (1 / norm(x, y, z), 3), (norm(x, y, z, w), 3), (1 / norm(x, y, z, w), 4)]
    n = random.integers(-8, 8, COUNT).astype(np.int32)
    cases += [(f"__nv_ldexp{suffix}", f"{letter}i>{letter}", [x, n]), (f"__nv_scalbn{suffix}", f"{letter}i>{letter}", [x, n]),
              (f"__nv_powi{suffix}", f"{letter}i>{letter}", [np.abs(x), n])]
    expectations += [(np.ldexp(x, n), 0), (np.ldexp(x, n), 0), (np.abs(x).astype(np.float64) ** n, 4)]
    fused = [float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))) for a, b, c in zip(x, y, z)]
    cases.append((f"__nv_fma{suffix}", f"{letter * 3}>{letter}", [x, y, z]))
    expectations.append((fused, 1))
x, y = values_for("f", 0.1, 5), values_for("f", -2, 2)
cases += [("__nv_fast_powf", "ff>f", [x, y]), ("__nv_fast_fdividef", "ff>f", [y, x]), ("__nv_saturatef", "f>f", [y]), ("__nv_frsqrt_rn", "f>f", [x])]
expectations += [(x.astype(np.float64) ** y, 1), (y.astype(np.float64) / x, 1), (np.clip(y, 0, 1), 0), (1 / np.sqrt(x.astype(np.float64)), 1)]
for (symbol, _, _), got, (expected, units) in zip(cases, run_all(cases), expectations):
    close(symbol, got, expected, units)

# ---- Inverses: the function of the result is the argument.
for letter, suffix, tolerance in (("f", "f", 3e-6), ("d", "", 1e-13)):
    x = values_for(letter, -0.999, 0.999)
    p = values_for(letter, 0.001, 0.999)
    inverse, inverse_c, quantile = run_all([(f"__nv_erfinv{suffix}", f"{letter}>{letter}", [x]), (f"__nv_erfcinv{suffix}", f"{letter}>{letter}", [p]),
                                            (f"__nv_normcdfinv{suffix}", f"{letter}>{letter}", [p])])
    tally.check(f"erfinv{suffix}", np.allclose([math.erf(v) for v in inverse], x, rtol=tolerance, atol=tolerance))
    tally.check(f"erfcinv{suffix}", np.allclose([math.erfc(v) for v in inverse_c], p, rtol=tolerance, atol=tolerance))
    tally.check(f"normcdfinv{suffix}", np.allclose([math.erfc(-v / math.sqrt(2)) / 2 for v in quantile], p, rtol=tolerance, atol=tolerance))
    x = values_for(letter, -3, 20)
    (scaled,) = run_all([(f"__nv_erfcx{suffix}", f"{letter}>{letter}", [x])])
    # 2/sqrt(pi) times the integral of exp(-t² - 2xt), as far as it matters, by Simpson's rule.
    def integral(v):
        t = np.linspace(0, min(12.0 - min(v, 0), 40 / (2 * max(v, 0.5))), 20001)
        weight = np.where(np.arange(t.size) % 2, 4.0, 2.0)
        weight[0] = weight[-1] = 1
        return 2 / math.sqrt(math.pi) * np.sum(weight * np.exp(-t * t - 2 * v * t)) * (t[1] - t[0]) / 3
    integral = np.array([integral(v) for v in x.astype(np.float64)])
    tally.check(f"erfcx{suffix}", np.allclose(scaled, integral, rtol=3e-7 if letter == "f" else 1e-12), f"{np.max(np.abs(scaled / integral - 1))}")

# ---- Bessel functions by their integrals.
angle = np.linspace(0, np.pi, 4001)
integrate = getattr(np, "trapezoid", None) or np.trapz
bessel_j = lambda n, x: integrate(np.cos(n * angle - x * np.sin(angle)), angle) / np.pi
bessel_i = lambda n, x: integrate(np.exp(x * np.cos(angle)) * np.cos(n * angle), angle) / np.pi
for letter, suffix, tolerance in (("f", "f", 1e-6), ("d", "", 1e-12)):
    x = values_for(letter, 0.2, 40)
    n = random.integers(0, 6, COUNT).astype(np.int32)
    one = lambda name: (f"__nv_{name}{suffix}", f"{letter}>{letter}", [x])
    two = lambda name: (f"__nv_{name}{suffix}", f"i{letter}>{letter}", [n, x])
    j0, j1, y0, y1, i0, i1, jn, yn, yn1, jn1 = run_all([one("j0"), one("j1"), one("y0"), one("y1"), one("cyl_bessel_i0"), one("cyl_bessel_i1"), two("jn"), two("yn"),
                                                      (f"__nv_yn{suffix}", f"i{letter}>{letter}", [n + 1, x]), (f"__nv_jn{suffix}", f"i{letter}>{letter}", [n + 1, x])])
    wide = x.astype(np.float64)
    tally.check(f"j0{suffix}", np.allclose(j0, [bessel_j(0, v) for v in wide], atol=tolerance))
    tally.check(f"j1{suffix}", np.allclose(j1, [bessel_j(1, v) for v in wide], atol=tolerance))
    tally.check(f"jn{suffix}", np.allclose(jn, [bessel_j(k, v) for k, v in zip(n, wide)], atol=tolerance))
    tally.check(f"cyl_bessel_i0{suffix}", np.allclose(i0, [bessel_i(0, v) for v in wide], rtol=10 * tolerance))
    tally.check(f"cyl_bessel_i1{suffix}", np.allclose(i1, [bessel_i(1, v) for v in wide], rtol=10 * tolerance))
    # J1 Y0 - J0 Y1 = 2 / (pi x), for any neighbouring orders.
    tally.check(f"y0 y1{suffix}", np.allclose(j1.astype(np.float64) * y0 - j0.astype(np.float64) * y1, 2 / (np.pi * wide), rtol=100 * tolerance, atol=tolerance))
    tally.check(f"yn{suffix}", np.allclose(jn1.astype(np.float64) * yn - jn.astype(np.float64) * yn1, 2 / (np.pi * wide), rtol=1e-4 if letter == "f" else 1e-9, atol=tolerance))

# ---- Tests and integer results.
cases, expected = [], []
for letter, names in (("f", ("isnanf", "isinff", "finitef", "signbitf", "ilogbf")), ("d", ("isnand", "isinfd", "isfinited", "signbitd", "ilogb"))):
    x = values_for(letter, -9, 9)
    x[:4] = [np.nan, np.inf, -np.inf, -0.0]
    regular = values_for(letter, 0.1, 9)
    for name, function in zip(names, (np.isnan, np.isinf, np.isfinite, np.signbit, None)):
        cases.append((f"__nv_{name}", f"{letter}>i", [x if function else regular]))
        expected.append(function(x) if function else np.floor(np.log2(regular)))
for (symbol, _, _), got, want in zip(cases, run_all(cases), expected):
    tally.check(symbol, np.array_equal(got.astype(np.int64), np.asarray(want).astype(np.int64)), f"{got[:6]} {want[:6]}")

# ---- Integers, by Python.
signed = lambda v, bits: v - (1 << bits) if v >> (bits - 1) else v
# Three bits of each nibble choose; unlike `prmt`, byte_perm has no sign to copy.
permute = lambda a, b, s: sum(((b << 32 | a) >> (8 * (s >> (4 * i) & 7)) & 0xff) << (8 * i) for i in range(4))
low24 = lambda v: signed(v & 0xffffff, 24)
INTEGER = [("clz", "i>i", lambda a: 32 - a.bit_length()), ("clzll", "l>i", lambda a: 64 - a.bit_length()), ("popc", "i>i", lambda a: bin(a).count("1")),
           ("popcll", "l>i", lambda a: bin(a).count("1")), ("ffs", "i>i", lambda a: (a & -a).bit_length()), ("ffsll", "l>i", lambda a: (a & -a).bit_length()),
           ("brev", "i>i", lambda a: int(f"{a:032b}"[::-1], 2)), ("brevll", "l>l", lambda a: int(f"{a:064b}"[::-1], 2)),
           ("byte_perm", "iii>i", permute), ("mulhi", "ii>i", lambda a, b: signed(a, 32) * signed(b, 32) >> 32), ("umulhi", "ii>i", lambda a, b: a * b >> 32),
           ("mul64hi", "ll>l", lambda a, b: signed(a, 64) * signed(b, 64) >> 64), ("umul64hi", "ll>l", lambda a, b: a * b >> 64),
           ("mul24", "ii>i", lambda a, b: low24(a) * low24(b)), ("umul24", "ii>i", lambda a, b: (a & 0xffffff) * (b & 0xffffff)),
           ("sad", "iii>i", lambda a, b, c: abs(signed(a, 32) - signed(b, 32)) + c), ("usad", "iii>i", lambda a, b, c: abs(a - b) + c),
           ("abs", "i>i", lambda a: abs(signed(a, 32))), ("llabs", "l>l", lambda a: abs(signed(a, 64))),
           ("hadd", "ii>i", lambda a, b: (signed(a, 32) + signed(b, 32)) >> 1), ("rhadd", "ii>i", lambda a, b: (signed(a, 32) + signed(b, 32) + 1) >> 1),
           ("uhadd", "ii>i", lambda a, b: (a + b) >> 1), ("urhadd", "ii>i", lambda a, b: (a + b + 1) >> 1)]
cases = [(f"__nv_{name}", signature, [values_for(letter, 0, 0) for letter in signature.split(">")[0]]) for name, signature, _ in INTEGER]
for (symbol, signature, inputs), got, (_, _, function) in zip(cases, run_all(cases), INTEGER):
    bits = 64 if signature.endswith("l") else 32
    want = [function(*(int(v) for v in lane)) & ((1 << bits) - 1) for lane in zip(*inputs)]
    tally.check(symbol, [int(g) & ((1 << bits) - 1) for g in got] == want, f"{got[:3]} {want[:3]}")

# ---- Bits of floats.
f, d, i, l, i2 = values_for("f", -9, 9), values_for("d", -9, 9), values_for("i", 0, 0), values_for("l", 0, 0), values_for("i", 0, 0)
bits = run_all([("__nv_int_as_float", "i>f", [i]), ("__nv_uint_as_float", "i>f", [i]), ("__nv_float_as_int", "f>i", [f]), ("__nv_float_as_uint", "f>i", [f]),
                ("__nv_longlong_as_double", "l>d", [l]), ("__nv_double_as_longlong", "d>l", [d]), ("__nv_double2loint", "d>i", [d]), ("__nv_double2hiint", "d>i", [d]),
                ("__nv_hiloint2double", "ii>d", [i, i2]), ("__nv_rcp64h", "d>d", [d])])
whole = d.view(np.uint64)
for symbol, got, want in zip(("int_as_float", "uint_as_float", "float_as_int", "float_as_uint", "longlong_as_double", "double_as_longlong", "double2loint", "double2hiint", "hiloint2double"),
                             bits, (i, i, f.view(np.uint32), f.view(np.uint32), l, whole, (whole & 0xffffffff).astype(np.uint32), (whole >> 32).astype(np.uint32),
                                    i.astype(np.uint64) << np.uint64(32) | i2)):
    tally.check(symbol, np.array_equal(got.view(want.dtype), want), f"{got[:3]}")
tally.check("rcp64h", np.allclose(bits[9], 1 / d, rtol=1e-5) and not (bits[9].view(np.uint64) & 0xffffffff).any())


# ---- Rounding modes, by fractions: the result, exactly.
def directed(kind, value, mode):
    """Round a Fraction to nearest even (n), toward zero (z), down (d) or up (u)."""
    if mode == "n":
        return kind.encode(value)
    cut = kind.encode(value, toward_zero=True)
    if mode == "z" or kind.decode(cut) == value:
        return cut
    away = (mode == "u") == (value > 0)
    return cut + 1 if away else cut


def root(value):
    scaled = value * Fraction(4) ** 300
    r = math.isqrt(scaled.numerator // scaled.denominator)
    return (Fraction(r) + (Fraction(1, 2) if Fraction(r) ** 2 != scaled else 0)) / Fraction(2) ** 300


cases, expected = [], []
for letter, kind, prefix, fused in (("f", F32, "f", "fmaf"), ("d", F64, "d", "fma")):
    a, b, c = values_for(letter, -9, 9), values_for(letter, 0.1, 9), values_for(letter, -9, 9)
    A, B, C = ([Fraction(float(v)) for v in x] for x in (a, b, c))
    for mode in "nzdu":
        rows = [(f"{prefix}add", [a, b], [x + y for x, y in zip(A, B)]), (f"{prefix}sub", [a, b], [x - y for x, y in zip(A, B)]),
                (f"{prefix}mul", [a, b], [x * y for x, y in zip(A, B)]), (f"{prefix}div", [a, b], [x / y for x, y in zip(A, B)]),
                (f"{prefix}rcp", [a], [1 / x for x in A]), (f"{prefix}sqrt", [b], [root(x) for x in B]), (fused, [a, b, c], [x * y + z for x, y, z in zip(A, B, C)])]
        for name, inputs, exact in rows:
            cases.append((f"__nv_{name}_r{mode}", f"{letter * len(inputs)}>{letter}", inputs))
            expected.append([directed(kind, v, mode) for v in exact])
signed_values = lambda x, bits: [signed(int(v), bits) for v in x]
for mode in "nzdu":
    for name, letter, kind, source, values in (("double2float", "d", F32, d, [Fraction(float(v)) for v in d]), ("int2float", "i", F32, i, signed_values(i, 32)),
                                               ("uint2float", "i", F32, i, [int(v) for v in i]), ("ll2float", "l", F32, l, signed_values(l, 64)),
                                               ("ull2float", "l", F32, l, [int(v) for v in l]), ("ll2double", "l", F64, l, signed_values(l, 64)),
                                               ("ull2double", "l", F64, l, [int(v) for v in l])):
        cases.append((f"__nv_{name}_r{mode}", f"{letter}>{'f' if kind is F32 else 'd'}", [source]))
        expected.append([directed(kind, Fraction(v), mode) for v in values])
cases += [("__nv_int2double_rn", "i>d", [i]), ("__nv_uint2double_rn", "i>d", [i])]
expected += [[F64.encode(Fraction(v)) for v in signed_values(i, 32)], [F64.encode(Fraction(int(v))) for v in i]]
whole_number = {"n": round, "z": math.trunc, "d": math.floor, "u": math.ceil}
for letter, source in (("f", "float"), ("d", "double")):
    x = values_for(letter, -9, 9)
    x[:6] = [1e20, -1e20, 2.5, -2.5, 3.5, 4e9]
    for target, out, low, high in (("int", "i", -(1 << 31), (1 << 31) - 1), ("uint", "i", 0, (1 << 32) - 1), ("ll", "l", -(1 << 63), (1 << 63) - 1), ("ull", "l", 0, (1 << 64) - 1)):
        for mode in "nzdu":
            cases.append((f"__nv_{source}2{target}_r{mode}", f"{letter}>{out}", [x]))
            expected.append([min(max(whole_number[mode](Fraction(float(v))), low), high) & ((1 << (32 if out == "i" else 64)) - 1) for v in x])
    for name, function in (("llrint", round), ("llround", lambda v: math.floor(abs(v) + Fraction(1, 2)) * (1 if v > 0 else -1))):
        cases.append((f"__nv_{name}{'f' if letter == 'f' else ''}", f"{letter}>l", [x]))
        expected.append([min(max(function(Fraction(float(v))), -(1 << 63)), (1 << 63) - 1) & ((1 << 64) - 1) for v in x])
for (symbol, signature, inputs), got, want in zip(cases, run_all(cases), expected):
    unsigned = got.view(np.uint32 if got.dtype.itemsize == 4 else np.uint64)
    bad = [n for n in range(COUNT) if int(unsigned[n]) != want[n]]
    tally.check(symbol, not bad, "" if not bad else f"lane {bad[0]}: {[v[bad[0]] for v in inputs]} gave {int(unsigned[bad[0]]):#x}, expected {want[bad[0]]:#x}")
print(f"{len(covered)} device functions")
sys.exit(tally.finish())

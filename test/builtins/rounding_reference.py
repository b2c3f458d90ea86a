"""rounding_reference.py: arithmetic in exact fractions, rounded once, in any of the four directions."""
import math
from fractions import Fraction

import numpy as np

FORMATS = {np.float32: (24, -149), np.float64: (53, -1074)}  # bits of the significand, exponent of the smallest number


def round_fraction(value, mode):
    """A whole number: n(earest even), z(ero), d(own) or u(p)."""
    if mode == "n":
        return round(value)
    return {"z": math.trunc, "d": math.floor, "u": math.ceil}[mode](value)


def to_float(value, kind, mode="n"):
    """A fraction as a float of the kind; the tests stay far from overflow."""
    if value == 0:
        return kind(0)
    precision, smallest = FORMATS[kind]
    exponent = math.floor(math.log2(abs(value))) + 1
    while abs(value) >= Fraction(2)**exponent:
        exponent += 1
    while abs(value) < Fraction(2)**(exponent - 1):
        exponent -= 1
    unit = max(exponent - precision, smallest)
    return kind(math.ldexp(round_fraction(value / Fraction(2)**unit, mode), unit))


def square_root(value, kind, mode):
    """The root of a positive fraction, rounded in the given direction."""
    precision, _ = FORMATS[kind]
    scaled = value
    shift = 0
    while scaled < Fraction(4)**(precision + 2):  # enough bits, and an exact sticky part
        scaled *= 4
        shift += 1
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(whole)**2 == scaled
    root = Fraction(whole) if exact else whole + Fraction(1, 3)  # between two neighbours, below the middle
    return to_float(root / Fraction(2)**shift, kind, mode)


def to_integer(value, low, high, mode):
    """Conversion of a float that saturates, as the GPU does."""
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(round_fraction(Fraction(float(value)), mode), low), high)

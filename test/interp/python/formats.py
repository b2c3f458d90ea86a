"""formats.py: number formats written down independently of the interpreter: exact values and correct rounding by fractions."""
import math
from fractions import Fraction

import numpy as np


class Format:
    """A binary float format; `fn` has no infinities (all ones is NaN), `fnuz` has 0x80 as its only NaN."""

    def __init__(self, name, mlir, exponent, mantissa, bias, kind, saturates=False):
        self.name, self.mlir, self.exponent, self.mantissa, self.bias, self.kind, self.saturates = (
            name, mlir, exponent, mantissa, bias, kind, saturates)
        self.bits = 1 + exponent + mantissa
        self.numpy = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[self.bits]
        self.sign = 1 << (self.bits - 1)
        top = ((1 << exponent) - 1) << mantissa
        if kind == "ieee":
            self.infinity, self.nan, self.largest = top, top | (1 << (mantissa - 1)), top - 1
        elif kind == "fn":
            self.infinity, self.nan, self.largest = None, self.sign - 1, self.sign - 2
        else:
            self.infinity, self.nan, self.largest = None, self.sign, self.sign - 1

    def decode(self, bits):
        """A Fraction, or a float for what is not finite."""
        bits = int(bits)
        magnitude, negative = bits & (self.sign - 1), bool(bits & self.sign)
        if self.kind == "fnuz":
            if bits == self.sign:
                return math.nan
        elif self.kind == "fn":
            if magnitude == self.sign - 1:
                return math.nan
        elif magnitude >= self.infinity:
            return math.nan if magnitude > self.infinity else (-math.inf if negative else math.inf)
        exponent, mantissa = magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1)
        if exponent == 0:
            value = Fraction(mantissa) * Fraction(2) ** (1 - self.bias - self.mantissa)
        else:
            value = Fraction(mantissa + (1 << self.mantissa)) * Fraction(2) ** (exponent - self.bias - self.mantissa)
        return -value if negative else value

    def encode(self, value, negative_zero=False, toward_zero=False):
        """Round a Fraction (or inf, nan) to nearest even, or toward zero."""
        if isinstance(value, float):
            if math.isnan(value):
                return self.nan
            if math.isinf(value):
                sign = self.sign if value < 0 else 0
                if self.infinity is None or (self.saturates and not toward_zero):
                    return sign | self.largest
                return sign | self.infinity
            negative_zero = negative_zero or (value == 0 and math.copysign(1, value) < 0)
            value = Fraction(value)
        negative = value < 0 or (value == 0 and negative_zero)
        magnitude = abs(value)
        sign = self.sign if negative else 0
        if magnitude == 0:
            return 0 if self.kind == "fnuz" else sign
        exponent = max(magnitude.numerator.bit_length() - magnitude.denominator.bit_length(), 1 - self.bias - 1)
        while Fraction(2) ** exponent > magnitude and exponent > 1 - self.bias:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        while Fraction(2) ** (exponent + 1) <= magnitude:
            exponent += 1
        scaled = magnitude / Fraction(2) ** (exponent - self.mantissa)
        units = scaled.numerator // scaled.denominator
        rest = scaled - units
        if not toward_zero and (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and units & 1)):
            units += 1
        result = units + ((exponent + self.bias - 1) << self.mantissa)
        if result > self.largest:
            if self.infinity is None or self.saturates or toward_zero:
                result = self.largest
            else:
                result = self.infinity
        if result == 0 and self.kind == "fnuz":
            return 0
        return sign | result

    def is_nan(self, bits):
        value = self.decode(bits)
        return isinstance(value, float) and math.isnan(value)


F32 = Format("f32", "f32", 8, 23, 127, "ieee")
F64 = Format("f64", "f64", 11, 52, 1023, "ieee")
F16 = Format("f16", "f16", 5, 10, 15, "ieee")
BF16 = Format("bf16", "bf16", 8, 7, 127, "ieee")
E5M2 = Format("e5m2", "f8E5M2", 5, 2, 15, "ieee", saturates=True)
E4M3 = Format("e4m3", "f8E4M3FN", 4, 3, 7, "fn", saturates=True)
E5M2FNUZ = Format("e5m2fnuz", "f8E5M2FNUZ", 5, 2, 16, "fnuz", saturates=True)
E4M3FNUZ = Format("e4m3fnuz", "f8E4M3FNUZ", 4, 3, 8, "fnuz", saturates=True)
FLOATS = [F32, F64, F16, BF16, E5M2, E4M3, E5M2FNUZ, E4M3FNUZ]


class Integer:
    def __init__(self, bits):
        self.bits, self.name, self.mlir = bits, f"i{bits}", f"i{bits}"
        self.numpy = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]

    def signed(self, value):
        value = int(value)
        return value - (1 << self.bits) if value >> (self.bits - 1) else value

    def wrap(self, value):
        return int(value) & ((1 << self.bits) - 1)


INTEGERS = [Integer(bits) for bits in (1, 8, 16, 32, 64)]

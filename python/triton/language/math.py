"""Elementwise functions of the language. `tl.exp` and `tl.math.exp` are the same function."""
from . import core  # noqa: F401
from ._builtin import define_functions

_TABLE = """
umulhi(x, y) | Upper half of the unsigned product of 32 or 64-bit integers.
exp(x) | e to the power of each element.
exp2(x) | 2 to the power of each element.
log(x) | Natural logarithm.
log2(x) | Logarithm to base 2.
cos(x) | Cosine of an angle in radians.
sin(x) | Sine of an angle in radians.
sqrt(x) | Square root; may be approximate on a GPU.
sqrt_rn(x) | Square root, rounded to nearest even.
rsqrt(x) | One over the square root.
abs(x) | Absolute value of floats and integers.
fdiv(x, y, ieee_rounding=False, approx=False) | Division of floats; may be approximate on a GPU.
div_rn(x, y) | Division of fp32, rounded to nearest even.
erf(x) | Error function.
floor(x) | Largest whole number that is not above each element.
ceil(x) | Smallest whole number that is not below each element.
fma(x, y, z) | x * y + z with one rounding.
"""
define_functions(globals(), _TABLE)

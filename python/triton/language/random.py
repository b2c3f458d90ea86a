"""Random numbers of the language: Philox, one stream per seed, one value per offset."""
from . import core as tl
from ._builtin import LibraryFunction, define_functions

N_ROUNDS_DEFAULT = tl.constexpr(10)

_TABLE = """
philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10) | Philox rounds on a counter of four words and a key of two.
philox(seed, c0, c1, c2, c3, n_rounds=10) | Four random words for a counter of four words.
randint(seed, offset, n_rounds=10) | A random int32 per offset.
randint4x(seed, offset, n_rounds=10) | Four random int32 per offset.
uint_to_uniform_float(x) | Random bits to a float in [0, 1).
rand(seed, offset, n_rounds=10) | A uniform float in [0, 1) per offset.
rand4x(seed, offsets, n_rounds=10) | Four uniform floats in [0, 1) per offset.
pair_uniform_to_normal(u1, u2) | Two uniform floats to two normal ones (Box and Muller).
randn(seed, offset, n_rounds=10) | A normal float per offset.
randn4x(seed, offset, n_rounds=10) | Four normal floats per offset.
"""
define_functions(globals(), _TABLE, LibraryFunction, home="triton.language")

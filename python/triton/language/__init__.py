"""The tile language as host code sees it: names for annotations, types and constants; kernels themselves are compiled."""
from . import core, extra, math, random, standard
from .core import (  # noqa: F401
    add, advance, aggregate, aggregate_replace, arange, associative_scan, assume, atomic_add, atomic_and, atomic_cas,
    atomic_load, atomic_max, atomic_min, atomic_or, atomic_poll, atomic_store, atomic_xchg, atomic_xor, bfloat16,
    block_type, broadcast, broadcast_to,
    cast, cat, clamp, condition, const, constexpr, constexpr_type, debug_barrier, device_assert, device_print,
    dot, dot_scaled, dot_sparse, dtype, expand_dims, expect_zero, float16, float32, float64, float8e4b15, float8e4b8,
    float8e4nv, float8e5, float8e5b16, full, gather, histogram, inline_asm_elementwise, int1, int16, int32,
    int64, int8, join, load, load_tensor_descriptor, make_block_ptr, make_tensor_descriptor, map_elementwise,
    max_constancy, max_contiguous, maximum, minimum, mul, multiple_of, must_use_result, num_programs, permute,
    pi32_t, pointer_type, program_id, PropagateNan, range, reduce, reshape, slice, split, squeeze,
    static_assert, static_print, static_range, store, store_tensor_descriptor, str_to_ty, sub, tensor,
    tensor_descriptor, tensor_descriptor_type, to_tensor, trans, TRITON_MAX_TENSOR_NUMEL, tuple, tuple_type,
    uint16, uint32, uint64, uint8, unsqueeze, view, void, where)
from .standard import (  # noqa: F401
    argmax, argmin, bitonic_merge, cdiv, cumprod, cumsum, flip, interleave, max, min, ravel, reduce_or, sigmoid,
    softmax, sort, sum, swizzle2d, topk, xor_sum, zeros, zeros_like)
from .math import (  # noqa: F401
    abs, ceil, cos, div_rn, erf, exp, exp2, fdiv, floor, fma, log, log2, rsqrt, sin, sqrt, sqrt_rn, umulhi)
from .random import (  # noqa: F401
    pair_uniform_to_normal, philox, philox_impl, rand, rand4x, randint, randint4x, randn, randn4x,
    uint_to_uniform_float)
from . import target_info
from ._tensor import add_tensor_members

__all__ = [  # Triton 3.6's
    "PropagateNan", "TRITON_MAX_TENSOR_NUMEL", "load_tensor_descriptor", "store_tensor_descriptor",
    "make_tensor_descriptor", "tensor_descriptor", "abs", "add", "advance", "arange", "argmax", "argmin",
    "associative_scan", "assume", "atomic_add", "atomic_and", "atomic_cas", "atomic_max", "atomic_min",
    "atomic_or", "atomic_xchg", "atomic_xor", "bfloat16", "bitonic_merge", "block_type", "broadcast",
    "broadcast_to", "cat", "cast", "cdiv", "ceil", "clamp", "condition", "const", "constexpr", "constexpr_type",
    "cos", "cumprod", "cumsum", "debug_barrier", "device_assert", "device_print", "div_rn", "dot", "dot_scaled",
    "dtype", "erf", "exp", "exp2", "expand_dims", "extra", "fdiv", "flip", "float16", "float32", "float64",
    "float8e4b15", "float8e4nv", "float8e4b8", "float8e5", "float8e5b16", "floor", "fma", "full", "gather",
    "histogram", "inline_asm_elementwise", "interleave", "int1", "int16", "int32", "int64", "int8", "join",
    "load", "log", "log2", "make_block_ptr", "map_elementwise", "math", "max", "max_constancy",
    "max_contiguous", "maximum", "min", "minimum", "mul", "multiple_of", "num_programs",
    "pair_uniform_to_normal", "permute", "philox", "philox_impl", "pi32_t", "pointer_type", "program_id",
    "rand", "rand4x", "randint", "randint4x", "randn", "randn4x", "range", "ravel", "reduce", "reduce_or",
    "reshape", "rsqrt", "slice", "sigmoid", "sin", "softmax", "sort", "split", "sqrt", "sqrt_rn",
    "static_assert", "static_print", "static_range", "store", "sub", "sum", "swizzle2d", "target_info",
    "tensor", "topk", "trans", "tuple", "uint16", "uint32", "uint64", "uint8", "uint_to_uniform_float",
    "umulhi", "view", "void", "where", "xor_sum", "zeros", "zeros_like"
]

_MEMBERS = """
exp exp2 log log2 cos sin sqrt sqrt_rn rsqrt abs erf floor ceil broadcast_to trans permute split view item reshape
expand_dims cast store advance atomic_load atomic_store atomic_poll atomic_cas atomic_xchg atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor reduce
associative_scan histogram gather cdiv sigmoid softmax ravel max argmax min argmin sum xor_sum reduce_or cumsum cumprod sort flip
"""
add_tensor_members({name: globals().get(name) or getattr(core, name) for name in _MEMBERS.split()})


def __getattr__(name):
    if name == "constexpr_function":
        return core.constexpr_function
    if name == "semantic":
        from importlib import import_module
        return import_module(".semantic", __name__)
    raise AttributeError(f"module 'triton.language' has no attribute '{name}'")

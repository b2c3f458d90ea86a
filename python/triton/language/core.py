"""The core of the language as host code sees it: types, constants, classes of values, functions."""
from enum import IntEnum

from .._utils import TRITON_MAX_TENSOR_NUMEL, validate_block_shape  # noqa: F401
from ._aggregate import _aggregate, _aggregate_type, aggregate, aggregate_replace  # noqa: F401
from ._builtin import (BuiltinFunction, TRITON_BUILTIN, builtin, define_functions, extern, is_builtin,  # noqa: F401
                       must_use_result)
from ._constexpr import (CONSTEXPR_0, _unwrap_if_constexpr, _unwrap_shape, base_type, base_value, const,  # noqa: F401
                         constexpr, constexpr_type)
from ._core_functions import TABLE
from ._dtype import (bfloat16, block_type, dtype, float16, float32, float64, float8e4b15, float8e4b8,  # noqa: F401
                     float8e4nv, float8e5, float8e5b16, get_int_dtype, int1, int16, int32, int64, int8, pi32_t,
                     pointer_type, slice_type, str_to_ty, tuple_type, uint16, uint32, uint64, uint8, void)
from ._iterators import condition, range, static_range  # noqa: F401
from ._tensor import (add_tensor_members, slice, tensor, tensor_descriptor, tensor_descriptor_base,  # noqa: F401
                      tensor_descriptor_base_type, tensor_descriptor_type, tuple)

_DtypeClass = dtype


class PropagateNan(IntEnum):
    """What `minimum`, `maximum` and `clamp` do with a NaN: ignore it, or pass it on."""
    NONE = 0
    ALL = 0xFFFF


define_functions(globals(), TABLE, home="triton.language")


def _fail(error_class, message):
    """Raises what the compiler found wrong in the use of a function of the language."""
    raise error_class(message)


def _normalize_tuple(value):
    value = _unwrap_if_constexpr(value)
    return tuple(value) if isinstance(value, (list, type(()))) else value


def _unwrap_iterable(values):
    """What was given as one sequence instead of as several arguments."""
    if len(values) != 1:
        return values
    try:
        iter(_unwrap_if_constexpr(values[0]))
    except TypeError:
        return values
    return values[0]


def _shape_check_impl(shape):
    shape = _unwrap_shape(shape)
    validate_block_shape(shape)
    return shape


def __getattr__(name):
    # Triton defines `constexpr_function` with its jit functions; the language only needs it on demand.
    if name == "constexpr_function":
        from ..runtime.jit import constexpr_function
        return constexpr_function
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")

"""What an argument adds to a kernel's signature and to the key of its code, as host code asks for it; launches do it natively."""
import sys

from .._utils import canonicalize_dtype


class _Array:
    """An array of numpy with the names of a tensor."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def data_ptr(self):
        return self.array.__array_interface__["data"][0]


def as_argument(value):
    """A value of numpy as what a kernel takes it for: an array is a tensor, a scalar the number."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return value
    if isinstance(value, numpy.generic):
        return value.item()
    return _Array(value) if isinstance(value, numpy.ndarray) else value


def _of_integer(backend, value, specialize_value, align):
    if value == 1 and specialize_value:
        return "constexpr", 1
    kind = "i32" if -2**31 <= value < 2**31 else "u64" if 2**63 <= value < 2**64 else "i64"
    return kind, backend.get_int_specialization(value, align=align) if specialize_value else None


def _of_descriptor(value):
    layout = f",{value.layout!r}" if hasattr(value, "layout") else ""
    return f"tensordesc<{canonicalize_dtype(value.base.dtype)}{list(value.block_shape)}{layout}>", None


def _of_tuple(backend, values):
    pairs = [native_specialize_impl(backend, value, False, True, True) for value in values]
    types, keys = ([pair[i] for pair in pairs] for i in (0, 1))
    is_named = hasattr(values, "_fields")
    return (type(values)(*types), type(values)(*keys)) if is_named else (tuple(types), tuple(keys))


def native_specialize_impl(backend, arg, is_const, specialize_value, align):
    """(type, key) of an argument. `backend` decides what of an integer or a pointer goes into the key."""
    from ..language._constexpr import constexpr
    from ._callable import JITCallable
    arg = as_argument(arg)
    if arg is None:
        return "constexpr", None
    if isinstance(arg, bool):
        return "u1", None
    if isinstance(arg, int):
        return _of_integer(backend, arg, specialize_value, align)
    if isinstance(arg, float):
        return "fp32", None
    if hasattr(arg, "data_ptr"):
        kind = ("*k" if is_const else "*") + canonicalize_dtype(arg.dtype)
        return kind, backend.get_tensor_specialization(arg, align=align) if specialize_value else None
    if isinstance(arg, JITCallable):
        return "constexpr", arg.cache_key
    if isinstance(arg, constexpr):
        return "constexpr", arg
    if isinstance(arg, tuple):
        return _of_tuple(backend, arg)
    if hasattr(arg, "block_shape"):
        return _of_descriptor(arg)
    if isinstance(arg, (str, type)) or type(arg).__name__ == "dtype":
        return "constexpr", arg
    raise TypeError(f"Unsupported type: {type(arg)}: a kernel takes tensors, numbers, tuples, descriptors and None")


def specialization_of(backend, parameter, value):
    """(type, key) of the argument of a parameter: what is written beside the name in the kernel goes first."""
    if parameter.is_constexpr:
        return "constexpr", value
    specialize = not parameter.do_not_specialize
    kind, key = native_specialize_impl(backend, value, parameter.is_const, specialize, not parameter.do_not_specialize_on_alignment)
    given = parameter.annotation_type
    if not given:
        return kind, key
    has_key = specialize and given != "u1" and given[:2] not in ("fp", "bf")
    return given, key if has_key else None


def create_function_from_signature(sig, kparams, backend):
    """A function that is called as the kernel: (arguments by name, (type, key) of each, options)."""

    def bind(*args, **kwargs):
        named = {name: value for name, value in kwargs.items() if name in sig.parameters}
        bound = sig.bind(*args, **named)
        bound.apply_defaults()
        specialization = [specialization_of(backend, parameter, bound.arguments[parameter.name]) for parameter in kparams]
        return dict(bound.arguments), specialization, {name: value for name, value in kwargs.items() if name not in named}

    return bind

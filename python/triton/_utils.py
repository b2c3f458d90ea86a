"""Names of types, and walks through nested tuples of arguments."""
from functools import reduce

TRITON_MAX_TENSOR_NUMEL = 1048576

# Every spelling of a type that people and frameworks use, to the one of a kernel signature. Booleans are unsigned.
type_canonicalisation_dict = {
    "bool": "u1", "int1": "u1", "uint1": "u1", "i1": "u1", "u1": "u1",
    "int8": "i8", "int16": "i16", "int": "i32", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float8e4nv": "fp8e4nv", "float8_e4m3fn": "fp8e4nv", "float8e4b8": "fp8e4b8", "float8_e4m3fnuz": "fp8e4b8",
    "float8e4b15": "fp8e4b15", "float8e5": "fp8e5", "float8_e5m2": "fp8e5", "float8e5b16": "fp8e5b16",
    "float8_e5m2fnuz": "fp8e5b16", "half": "fp16", "float16": "fp16", "bfloat16": "bf16", "float": "fp32",
    "float32": "fp32", "double": "fp64", "float64": "fp64", "void": "void",
}  # yapf: disable
type_canonicalisation_dict.update({name: name for name in list(type_canonicalisation_dict.values())})


def _bits(name):
    if name == "void":
        return 0
    if name.startswith("fp8"):
        return 8
    return int(name.lstrip("abcdefghijklmnopqrstuvwxyz"))


BITWIDTH_DICT = {name: _bits(canonical) for name, canonical in type_canonicalisation_dict.items()}


def get_primitive_bitwidth(dtype):
    return BITWIDTH_DICT[dtype]


def canonicalize_dtype(dtype):
    """The signature's name of a dtype of torch, numpy or the language."""
    return type_canonicalisation_dict[str(dtype).rpartition(".")[2]]


def canonicalize_ptr_dtype(dtype, is_const):
    return ("*k" if is_const else "*") + canonicalize_dtype(dtype)


def is_power_of_two(x):
    return x & (x - 1) == 0


def validate_block_shape(shape):
    """The number of elements of a block; raises where the shape is not one that a block can have."""
    from . import knobs
    count = 1
    for i, extent in enumerate(shape):
        if not isinstance(extent, int):
            raise TypeError(f"Shape element {i} must have type `constexpr[int]`, got `constexpr[{type(extent)}]")
        if not is_power_of_two(extent) and not knobs.language.any_extent:
            raise ValueError(f"Shape element {i} must be a power of 2, got {extent}")
        count *= extent
    if count > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"numel ({count}) exceeds triton maximum tensor numel ({TRITON_MAX_TENSOR_NUMEL})")
    return count


def is_namedtuple(val):
    return isinstance(val, type) and issubclass(val, tuple) and hasattr(val, "_fields")


def get_iterable_path(iterable, path):
    """The element of nested tuples that a path of indices leads to."""
    return reduce(lambda value, index: value[index], path, iterable)


def set_iterable_path(iterable, path, val):
    from .language import core
    assert path, "the path is empty: there is nothing to set"
    owner = get_iterable_path(iterable, path[:-1])
    assert isinstance(owner, core.tuple), f"expected a `tl.tuple`, got `{type(owner).__name__}`"
    owner._setitem(path[-1], val)


def find_paths_if(iterable, pred):
    """The paths of all leaves of nested tuples for which `pred(path, leaf)` holds, in order."""
    from .language import core
    found = []

    def visit(path, value):
        if isinstance(value, (list, tuple, core.tuple, core.tuple_type)):
            for index, item in enumerate(value):
                visit((*path, index), item)
        elif pred(path, value):
            found.append(path)

    visit((), iterable)
    return found

"""The types of the language as Python sees them: scalars, pointers, blocks, tuples."""
import builtins
from enum import Enum

from .._utils import get_primitive_bitwidth, validate_block_shape
from ._constexpr import _unwrap_if_constexpr, _unwrap_shape, base_type

# Per float type: bits of the mantissa, bias of the exponent.
_FLOAT_FORMATS = {
    "fp8e4b15": (3, 15), "fp8e4nv": (3, 7), "fp8e4b8": (3, 8), "fp8e5": (2, 15), "fp8e5b16": (2, 16),
    "fp16": (10, 15), "bf16": (7, 127), "fp32": (23, 127), "fp64": (52, 1023),
}  # yapf: disable


class dtype(base_type):
    """A scalar type of the language, such as `tl.float32`."""

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = list(_FLOAT_FORMATS)
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = _unwrap_if_constexpr(name)
        assert dtype.is_dtype(name), f"there is no dtype `{name}`"
        self.name = name
        self.primitive_bitwidth = get_primitive_bitwidth(name)
        self.itemsize = self.primitive_bitwidth // 8
        if name in _FLOAT_FORMATS:
            self.fp_mantissa_width, self.exponent_bias = _FLOAT_FORMATS[name]
        elif name != "void":
            self.int_bitwidth = self.primitive_bitwidth
            signed = name in dtype.SINT_TYPES
            self.int_signedness = dtype.SIGNEDNESS.SIGNED if signed else dtype.SIGNEDNESS.UNSIGNED

    def is_fp8(self):
        return "fp8" in self.name

    def is_floating(self):
        return self.name in dtype.FP_TYPES

    def is_standard_floating(self):
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in dtype.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in dtype.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self):
        return self.is_int1()

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        if self.is_int():
            return dtype.KIND.INTEGRAL
        assert self.is_floating(), f"`{self}` has no kind"
        return dtype.KIND.FLOATING

    def get_int_max_value(self):
        assert self.is_int(), f"`{self}` is no integer type"
        return 2**(self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        assert self.is_int(), f"`{self}` is no integer type"
        return -2**(self.int_bitwidth - 1) if self.is_int_signed() else 0

    @staticmethod
    def is_dtype(type_str):
        return type_str in _ALL_NAMES

    def is_void(self):
        return self.name == "void"

    def is_block(self):
        return False

    def is_ptr(self):
        return False

    def is_const(self):
        return False

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return isinstance(other, dtype) and self.name == other.name

    def __hash__(self):
        return hash((self.name, ))

    @property
    def scalar(self):
        return self

    def with_element_ty(self, element_ty):
        return element_ty

    def __str__(self):
        return self.name

    def codegen_name(self):
        if self.name.startswith("fp"):
            return "float" + self.name[2:]
        return "bfloat16" if self.name == "bf16" else self.name

    @property
    def cache_key_part(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.codegen_name()}"

    def mangle(self):
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return "V" if self.is_void() else str(self)


_ALL_NAMES = frozenset(dtype.SINT_TYPES + dtype.UINT_TYPES + dtype.FP_TYPES + dtype.OTHER_TYPES)


def _add_name_questions():
    # `is_fp32`, `is_int8` and so on: one question for each name.
    for name in _ALL_NAMES - {"void"}:
        question = lambda self, name=name: self.name == name  # noqa: E731
        question.__name__ = f"is_{name}"
        setattr(dtype, f"is_{name}", question)


_add_name_questions()


class pointer_type(dtype):
    """A pointer to elements of one type; `const` ones are only read."""

    def __init__(self, element_ty, address_space=1, const=False):
        element_ty = _unwrap_if_constexpr(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"`element_ty` has type `{type(element_ty).__name__}`; expected `dtype`.")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = f"{'const_' if const else ''}pointer<{element_ty}>"

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return (isinstance(other, pointer_type) and self.element_ty == other.element_ty
                and self.address_space == other.address_space and self.const == other.const)

    __hash__ = dtype.__hash__

    def __repr__(self):
        return self.name

    def mangle(self):
        return f"P{self.element_ty.mangle()}"


class block_type(dtype):
    """A block of elements with a shape that is known at compile time."""

    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self.shape = builtins.tuple(_unwrap_shape(shape))
        if not self.shape:
            raise TypeError("0d block_type is forbidden: a scalar has its element type")
        self.numel = validate_block_shape(self.shape)
        self.name = f"<{self.shape}, {self.element_ty}>"

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, scalar_ty):
        return block_type(scalar_ty, self.shape)

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return isinstance(other, block_type) and self.element_ty == other.element_ty and self.shape == other.shape

    __hash__ = dtype.__hash__

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        return self.numel * (self.element_ty.primitive_bitwidth // 8)

    def __repr__(self):
        return self.name

    def mangle(self):
        return f"{self.scalar.mangle()}S{'_'.join(map(str, self.shape))}S"


class tuple_type(base_type):
    """The types of a tuple's elements, with their names where it is a named tuple."""

    def __init__(self, types, fields=None):
        self.types = types
        self.fields = fields or [""] * len(types)
        self.name = "[" + ",".join(f"{name}:{type}" for name, type in zip(self.fields, self.types)) + "]"

    def __str__(self):
        return self.name

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return type(self) is type(other) and self.types == other.types and self.fields == other.fields

    def __hash__(self):
        return hash(self.name)

    def mangle(self):
        return "T" + "_".join(type.mangle() for type in self.types) + "T"


class slice_type(dtype):

    def __init__(self):
        self.name = "slice_type"


void, int1 = dtype("void"), dtype("int1")
int8, int16, int32, int64 = (dtype(name) for name in dtype.SINT_TYPES)
uint8, uint16, uint32, uint64 = (dtype(name) for name in dtype.UINT_TYPES[1:])
float8e5, float8e5b16 = dtype("fp8e5"), dtype("fp8e5b16")
float8e4nv, float8e4b8, float8e4b15 = dtype("fp8e4nv"), dtype("fp8e4b8"), dtype("fp8e4b15")
float16, bfloat16, float32, float64 = (dtype(name) for name in dtype.STANDARD_FP_TYPES)
pi32_t = pointer_type(int32)


def get_int_dtype(bitwidth, signed):
    """The integer type of a width: `int1` for 1 bit whatever the sign."""
    name = "int1" if bitwidth == 1 else f"{'' if signed else 'u'}int{bitwidth}"
    if name not in dtype.SINT_TYPES + dtype.UINT_TYPES:
        raise ValueError(f"Unsupported bitwidth {bitwidth} and signedness {signed}")
    return dtype(name)


def str_to_ty(name, c):
    """The type that a signature spells, such as `i32`, `*fp16`, `*kfp32` or `tensordesc<fp16[64, 64]>`."""
    if isinstance(name, builtins.tuple):
        return tuple_type([str_to_ty(part, c) for part in name], getattr(type(name), "_fields", None))
    if name[0] == "*":
        const = name.startswith("*k")
        return pointer_type(str_to_ty(name[2 if const else 1:], c), const=const)
    if name.startswith("tensordesc"):
        return _descriptor_type(name)
    if name.startswith("constexpr"):
        from ._constexpr import constexpr_type
        return constexpr_type(c)
    if name in ("i1", "u1", "B"):
        return int1
    if name[0] in "iu" and name[1:].isdigit():
        return get_int_dtype(int(name[1:]), name[0] == "i")
    if name not in _FLOAT_FORMATS:
        raise KeyError(name)
    return dtype(name)


def _descriptor_type(name):
    from ._tensor import tensor_descriptor_type
    element, _, rest = name.partition("<")[2].rpartition(">")[0].partition("[")
    shape = [int(extent) for extent in rest.partition("]")[0].split(",")]
    block = block_type(str_to_ty(element, None), shape)
    return tensor_descriptor_type(block, tuple_type([int32] * len(shape)), tuple_type([int64] * len(shape)))

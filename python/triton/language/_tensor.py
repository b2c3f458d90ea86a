"""Values of kernels as Python classes: names for annotations and `isinstance`, and tuples that also work on the host."""
import builtins
import math
from functools import cached_property

from ._builtin import BuiltinFunction
from ._constexpr import _unwrap_if_constexpr, base_type, base_value, constexpr, constexpr_type
from ._dtype import dtype, slice_type, tuple_type

_OPERATORS = """
add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod neg invert and rand or ror xor rxor lshift rlshift
rshift rrshift gt ge lt le eq ne getitem not
""".split()


class tensor(base_value):
    """A block of values, or one value, inside of a kernel."""

    __nereid_path__ = "triton.language.tensor"

    def __init__(self, handle, type):
        self.handle = handle
        self.type = type
        self.dtype = type.scalar

    @cached_property
    def shape(self):
        return tuple([constexpr(extent) for extent in self.type.shape]) if self.type.is_block() else tuple([])

    @cached_property
    def numel(self):
        return constexpr(math.prod(self.type.shape) if self.type.is_block() else 1)

    @cached_property
    def _kind(self):
        """What operations of kernels that run as Python are kept by."""
        from ..runtime._interpreter.values import kind_of_tensor
        return kind_of_tensor(self)

    def __str__(self):
        return f"{self.dtype}[{', '.join(str(extent) for extent in self.shape)}]"

    @property
    def T(self):
        raise ValueError("Did you forget to add @triton.jit ? a tensor is transposed inside of a kernel only")

    __hash__ = base_value.__hash__


def _add_members(cls, functions, names):
    for name in names:
        if name in vars(cls):
            continue  # the language is loaded again
        setattr(cls, name, functions.get(name) or BuiltinFunction(f"triton.language.{cls.__name__}", name))


def add_tensor_members(functions):
    """Gives `tensor` its operators and the functions of the language that are also its members."""
    _add_members(tensor, {}, [f"__{name}__" for name in _OPERATORS] + ["to", "logical_and", "logical_or"])
    _add_members(tensor, functions, functions)


def _type_of(value):
    plain = (int, float, str, builtins.tuple, type(None), dtype)
    return constexpr_type(value) if isinstance(value, plain) else value.type


class tuple(base_value):
    """A tuple of kernel values; named ones answer to the names of their fields."""

    __nereid_path__ = "triton.language.tuple"

    def __init__(self, args, type=None):
        self.values = list(args)
        if type is None:
            type = tuple_type([_type_of(value) for value in self.values])
        self.type = type if isinstance(type, tuple_type) else tuple_type(type)

    def __getitem__(self, index):
        index = _unwrap_if_constexpr(index)
        if isinstance(index, (slice, builtins.slice)):
            return tuple(self.values[_unwrap_if_constexpr(index.start):_unwrap_if_constexpr(index.stop):
                                     _unwrap_if_constexpr(index.step)])
        return self.values[index]

    def __getattr__(self, name):
        fields = self.__dict__["type"].fields if "type" in self.__dict__ else []
        if name not in fields:
            raise AttributeError(f"the tuple has no field `{name}`")
        return self.values[list(fields).index(name)]

    def _setitem(self, index, value):
        self.values[_unwrap_if_constexpr(index)] = value
        self.type = tuple_type([_type_of(value) for value in self.values], self.type.fields)

    def _unwrap_constexpr(self):
        return tuple([_unwrap_if_constexpr(value) for value in self.values])

    def __add__(self, other):
        return tuple(self.values + list(_unwrap_if_constexpr(other)))

    def __mul__(self, count):
        return tuple(self.values * _unwrap_if_constexpr(count))

    def __eq__(self, other):
        return constexpr(_unwrap_if_constexpr(self.values) == list(_unwrap_if_constexpr(other)))

    def __hash__(self):
        return hash(builtins.tuple(self.values))

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __str__(self):
        return str([str(value) for value in self.values])

    def __repr__(self):
        return f"({', '.join(repr(value) for value in self.values)})"


class slice:

    __nereid_path__ = "triton.language.slice"

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step
        self.type = slice_type()


class tensor_descriptor_base_type(base_type):

    def __init__(self, block_type):
        self.block_type = block_type

    def __str__(self):
        return f"tensor_descriptor<{self.block_type}>"

    def __eq__(self, other):
        return type(other) is type(self) and self.block_type == other.block_type

    def __hash__(self):
        return hash(str(self))

    def mangle(self):
        return f"TD{self.block_type.mangle()}"


class tensor_descriptor_type(tensor_descriptor_base_type):

    def __init__(self, block_type, shape_type, strides_type):
        self.block_type = block_type
        self.shape_type = shape_type
        self.strides_type = strides_type

    def __eq__(self, other):
        return (super().__eq__(other) and self.shape_type == other.shape_type
                and self.strides_type == other.strides_type)

    __hash__ = tensor_descriptor_base_type.__hash__


class tensor_descriptor_base(base_value):
    """A view of a tensor in memory that kernels read and write in blocks."""

    def __init__(self, handle, block_type):
        self.handle = handle
        self.type = tensor_descriptor_base_type(block_type)

    @property
    def block_type(self):
        return self.type.block_type

    @property
    def block_shape(self):
        return self.type.block_type.shape

    @property
    def dtype(self):
        return self.type.block_type.element_ty

    def __str__(self):
        return str(self.type)


_add_members(tensor_descriptor_base, {},
             "load store atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor gather scatter".split())


class tensor_descriptor(tensor_descriptor_base):

    __nereid_path__ = "triton.language.tensor_descriptor"

    def __init__(self, handle, shape, strides, block_type):
        super().__init__(handle, block_type)
        self.shape, self.strides = tuple(shape), tuple(strides)
        self.type = tensor_descriptor_type(block_type, self.shape.type, self.strides.type)

"""Operators and members of `tl.tensor`, for kernels that run as Python."""
import numpy as np

from ...language import core as tl
from .handle import as_floats
from .operation import evaluate
from .values import LoopIndex, scalar

_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "and": "&", "or": "|", "xor": "^",
    "lshift": "<<", "rshift": ">>",
}  # yapf: disable
_COMPARISONS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_NAMES = ("a", "b")


def _forward(symbol):
    expression = f"a {symbol} b"
    return lambda self, other: evaluate(expression, _NAMES, (self, other))


def _reflected(symbol):
    expression = f"a {symbol} b"
    return lambda self, other: evaluate(expression, _NAMES, (other, self))


def _equality(symbol):
    compare = _forward(symbol)

    def equality(self, other):
        return compare(self, other) if _is_operand(other) else NotImplemented

    return equality


def _is_operand(value):
    return isinstance(value, (tl.tensor, tl.constexpr, int, float, np.ndarray, np.generic))


def _unary(symbol):
    return lambda self: evaluate(f"{symbol} a", ("a", ), (self, ))


def _subscript(self, index):
    items = index if isinstance(index, tuple) else (index, )
    texts, names, values = [], ["a"], [self]

    def named(value):
        names.append(f"b{len(names)}")
        values.append(value)
        return names[-1]

    for item in items:
        if item is None or item is Ellipsis:
            texts.append("None" if item is None else "...")
        elif isinstance(item, slice):
            bounds = [None if bound is None else named(bound) for bound in (item.start, item.stop, item.step)]
            texts.append(":".join("" if bound is None else bound for bound in bounds[:2]) + (f":{bounds[2]}" if bounds[2] else ""))
        else:
            texts.append(named(item))
    return evaluate(f"a[{', '.join(texts)}{',' if len(texts) == 1 and isinstance(index, tuple) else ''}]", names, values)


def _one_element(self, what):
    data = self.handle.data
    if data.size != 1:
        raise ValueError(f"a block of {data.size} elements has no single value, which {what} needs: use `tl.where`, or reduce it")
    return as_floats(self.handle).reshape(-1)[0]


def _array(self, dtype=None, copy=None):
    data = as_floats(self.handle)
    data = data if self.type.is_block() else data.reshape(())
    return data if dtype is None else data.astype(dtype)


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """numpy's functions see the data, and give arrays."""
    inputs = [np.asarray(value) if isinstance(value, tl.tensor) else value for value in inputs]
    return getattr(ufunc, method)(*inputs, **kwargs)


def _transposed(self):
    return evaluate("a.T", ("a", ), (self, ))


def _members():
    members = {f"__{name}__": _forward(symbol) for name, symbol in {**_BINARY, **_COMPARISONS}.items()}
    members.update({f"__r{name}__": _reflected(symbol) for name, symbol in _BINARY.items()})
    members["__eq__"], members["__ne__"] = _equality("=="), _equality("!=")
    members["__neg__"], members["__invert__"], members["__not__"] = _unary("-"), _unary("~"), _unary("not")
    members["__getitem__"] = _subscript
    for member in members.values():
        member.__triton_builtin__ = True
    members.update({
        "__bool__": lambda self: bool(_one_element(self, "a condition")),
        "__index__": lambda self: int(_one_element(self, "an index")),
        "__int__": lambda self: int(_one_element(self, "`int`")),
        "__float__": lambda self: float(_one_element(self, "`float`")),
        "__repr__": lambda self: repr(as_floats(self.handle)) if hasattr(self.handle, "dtype") else repr(self.type),
        "__str__": lambda self: str(as_floats(self.handle)) if hasattr(self.handle, "dtype") else str(self.type),
        "__format__": lambda self, spec: format(_one_element(self, "a format").item() if spec else str(self), spec),
        "__array__": _array,
        "__array_ufunc__": _array_ufunc,
        "__hash__": lambda self: id(self) >> 4,
        "T": property(_transposed),
    })
    return members


def install():
    """Gives `tl.tensor` its operators; its values exist only in kernels that run as Python, so they stay."""
    for name, member in _members().items():
        setattr(tl.tensor, name, member)


def to_tensor(value, check_type=True):
    """What an assignment in a kernel makes of a value: numbers become scalars."""
    if isinstance(value, tl.constexpr):
        return to_tensor(value.value, check_type)
    if isinstance(value, (bool, int, float)) and not isinstance(value, tl.tensor):
        return scalar(int(value) if isinstance(value, LoopIndex) else value)
    if isinstance(value, np.generic):
        return to_tensor(value.item(), check_type)
    if check_type and not isinstance(value, tl.tensor):
        raise TypeError(f"cannot convert {value} of type {type(value)} to tensor")
    return value



"""`constexpr`: a value that is known when a kernel is compiled.

On the host it folds: every operator computes with the wrapped values and wraps the result again, so that module-level
constants can be built from each other.
"""
import builtins
import operator


class const:
    """Annotation of a pointer parameter whose memory the kernel only reads."""


class base_value:
    """What a kernel works on: tensors, tuples, descriptors, compile-time constants."""

    def _flatten_ir(self, handles):
        raise NotImplementedError


class base_type:
    """The type of a `base_value`."""

    def __eq__(self, other):
        raise NotImplementedError("types must define `__eq__`")

    def __ne__(self, other):
        return not self == other

    def mangle(self):
        raise NotImplementedError(f"`{type(self).__name__}` has no mangled name")


class constexpr_type(base_type):
    """The type of one compile-time constant: the constant itself."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self):
        return repr(self)


def _forward(operation):
    return lambda self, other: constexpr(operation(self.value, _unwrap_if_constexpr(other)))


def _reflected(operation):
    return lambda self, other: constexpr(operation(_unwrap_if_constexpr(other), self.value))


def _unary(operation):
    return lambda self: constexpr(operation(self.value))


class constexpr(base_value):
    """A compile-time constant; wrapping one again changes nothing."""

    __nereid_path__ = "triton.language.constexpr"

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value
        self.type = constexpr_type(value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((self.value, self.type))

    def __index__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __iter__(self):
        return iter(self.value)

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, index):
        return self.value[_unwrap_if_constexpr(index)]

    def _flatten_ir(self, handles):
        return

    __add__, __radd__ = _forward(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _forward(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _forward(operator.mul), _reflected(operator.mul)
    __mod__, __rmod__ = _forward(operator.mod), _reflected(operator.mod)
    __truediv__, __rtruediv__ = _forward(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _forward(operator.floordiv), _reflected(operator.floordiv)
    __pow__, __rpow__ = _forward(operator.pow), _reflected(operator.pow)
    __lshift__, __rlshift__ = _forward(operator.lshift), _reflected(operator.lshift)
    __rshift__, __rrshift__ = _forward(operator.rshift), _reflected(operator.rshift)
    __and__, __rand__ = _forward(operator.and_), _reflected(operator.and_)
    __or__, __ror__ = _forward(operator.or_), _reflected(operator.or_)
    __xor__, __rxor__ = _forward(operator.xor), _reflected(operator.xor)
    __eq__, __ne__ = _forward(operator.eq), _forward(operator.ne)
    __lt__, __rlt__ = _forward(operator.lt), _reflected(operator.lt)
    __le__, __rle__ = _forward(operator.le), _reflected(operator.le)
    __gt__, __rgt__ = _forward(operator.gt), _reflected(operator.gt)
    __ge__, __rge__ = _forward(operator.ge), _reflected(operator.ge)
    __neg__, __pos__, __invert__ = _unary(operator.neg), _unary(operator.pos), _unary(operator.invert)
    __not__ = _unary(operator.not_)
    logical_and = _forward(lambda left, right: left and right)
    logical_or = _forward(lambda left, right: left or right)


CONSTEXPR_0 = constexpr(0)


def _unwrap_if_constexpr(value):
    """The plain value of a constant; lists and tuples are unwrapped element by element."""
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, (list, builtins.tuple)):
        items = [_unwrap_if_constexpr(item) for item in value]
        if isinstance(value, list):
            return items
        return builtins.tuple(items) if not hasattr(value, "_fields") else type(value)(*items)
    unwrap = getattr(type(value), "_unwrap_constexpr", None)
    return unwrap(value) if unwrap else value


def _unwrap_shape(shape):
    return [_unwrap_if_constexpr(extent) for extent in _unwrap_if_constexpr(shape)]

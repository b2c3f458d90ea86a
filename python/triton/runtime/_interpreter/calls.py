"""Calls of functions of the language in a kernel that runs as Python.

Most are operations of the library; a few are answered here, because they ask about the program or talk to Python.
"""
from ...language import core as tl
from ...language._constexpr import _unwrap_if_constexpr
from ...language._tensor import tensor
from .._callable import JITCallable
from .builder import interpreter_builder
from .operation import evaluate
from .values import LoopIndex, holds_tensor

_HIDDEN = ("_semantic", "_builder", "_generator")
_METHODS = ("triton.language.tensor", "triton.language.tensor_descriptor_base")


def _has_index(value):
    return isinstance(value, LoopIndex) or (type(value) in (tuple, list) and any(map(_has_index, value)))


def _plain_numbers(value):
    """The same operand with the variables of loops as constants."""
    if isinstance(value, LoopIndex):
        return int(value)
    return type(value)(map(_plain_numbers, value)) if type(value) in (tuple, list) else value


def _operation(function, args, kwargs):
    """The call as an expression, the names of its operands and their values."""
    names = [f"p{i}" for i in range(len(args))]
    keywords = [f"k{i}" for i in range(len(kwargs))]
    passed = names + [f"{name}={keyword}" for name, keyword in zip(kwargs, keywords)]
    values = (*args, *kwargs.values())
    if function.__module__ in _METHODS:
        return f"p0.{function.__name__}({', '.join(passed[1:])})", [*names, *keywords], values
    return f"f({', '.join(passed)})", ["f", *names, *keywords], (function, *values)


def call(function, args, kwargs):
    """The value of `function(*args, **kwargs)`, a function or method of the language."""
    for name in _HIDDEN:
        kwargs.pop(name, None)
    own = _OWN.get(function.__nereid_path__)
    if own is not None:
        return own(*args, **kwargs)
    expression, names, values = _operation(function, args, kwargs)
    try:
        return evaluate(expression, names, values)
    except (TypeError, ValueError):
        # Where the variable of a loop cannot be a number of the run time, it may be meant as the constant that it is in Python.
        if not any(map(_has_index, values)):
            raise
        return evaluate(expression, names, tuple(map(_plain_numbers, values)))


# ---- What Python answers.

def _grid_axis(name, axis):
    axis = _unwrap_if_constexpr(axis)
    if axis not in (0, 1, 2):
        raise ValueError(f"{name} axis must be 0, 1, or 2 but got {axis}")
    return axis


def _program_id(axis):
    return tensor(interpreter_builder.create_get_program_id(_grid_axis("program_id", axis)), tl.int32)


def _num_programs(axis):
    return tensor(interpreter_builder.create_get_num_programs(_grid_axis("num_programs", axis)), tl.int32)


def _static_assert(cond, msg=""):
    assert _unwrap_if_constexpr(cond), _unwrap_if_constexpr(msg)


def _assume(cond):
    assert cond, "the kernel assumes what does not hold"


def _hint(name):

    def give(input, values):
        values = _unwrap_if_constexpr(values)
        values = list(values) if isinstance(values, (list, tuple)) else [values]
        if isinstance(input, tensor):
            if len(values) != max(1, len(input.shape)):
                raise ValueError(f"Shape of input to {name} does not match the length of values")
            input.handle.set_attr(f"tt.{name}", values)
        return input

    return give


def _with_function(function, in_python):
    """A function of the language that calls one of the kernel: in Python, where only Python can run that."""

    def is_compiled(value):
        from .mode import needs_python
        return hasattr(value, "__nereid_path__") or (isinstance(value, JITCallable) and not needs_python(value))

    def run(*args, **kwargs):
        called = [value for value in (*args, *kwargs.values()) if callable(value) and not isinstance(value, tl.base_value)]
        if all(map(is_compiled, called)):
            try:
                return evaluate(*_operation(function, args, kwargs))
            except Exception:
                if all(hasattr(value, "__nereid_path__") for value in called):
                    raise
        return in_python(*args, **kwargs)

    return run


def _reduce(input, axis, combine_fn, keep_dims=False):
    from .combine import reduce
    return reduce(input, _unwrap_if_constexpr(axis), combine_fn, _unwrap_if_constexpr(keep_dims))


def _scan(input, axis, combine_fn, reverse=False):
    from .combine import associative_scan
    return associative_scan(input, _unwrap_if_constexpr(axis), combine_fn, _unwrap_if_constexpr(reverse))


def _map(scalar_fn, *args, pack=1):
    from .combine import map_elementwise
    return map_elementwise(scalar_fn, args, _unwrap_if_constexpr(pack))


_OWN = {
    "triton.language.program_id": _program_id,
    "triton.language.num_programs": _num_programs,
    "triton.language.static_print": print,
    "triton.language.static_assert": _static_assert,
    "triton.language.assume": _assume,
    "triton.language.multiple_of": _hint("divisibility"),
    "triton.language.max_contiguous": _hint("contiguity"),
    "triton.language.max_constancy": _hint("constancy"),
    "triton.language.reduce": _with_function(tl.reduce, _reduce),
    "triton.language.associative_scan": _with_function(tl.associative_scan, _scan),
    "triton.language.map_elementwise": _with_function(tl.map_elementwise, _map),
}


# ---- What Python's own functions mean in a kernel.

def extremum(python_function, function, *args, **kwargs):
    """`min` and `max`: of tensors, elementwise."""
    values = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    if kwargs or len(values) < 2 or not any(map(holds_tensor, values)) or all(isinstance(value, int) for value in values):
        return python_function(*args, **kwargs)
    result = values[0]
    for value in values[1:]:
        result = function(result, value)
    return result

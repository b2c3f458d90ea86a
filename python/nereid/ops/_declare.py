"""One declaration of an operation, from which come a function on numpy arrays and an operator of torch.

    @op("out mean rstd", shown=1)
    def layer_norm(x: Array, weight: Array, bias: Array | None = None, eps: float = 1e-5):
        out, mean, rstd = empty(x, x.shape), …
        yield out, mean, rstd
        launch("layer_norm", "layer_norm_forward", …)

    @layer_norm.gradient
    def _(grad_out, x, weight, mean, rstd):
        return layer_norm_backward(grad_out, x, weight, mean, rstd)

What stands before `yield` looks at shapes and types alone and makes the results; what stands behind it computes them. So torch's fake
kernel is the part before it, and there is nothing to keep in step. The first `shown` results are what callers get. A gradient's
parameters are the gradients of these results and then, by their names, what it needs of the operation's arguments and results; it gives
one gradient for each array among the arguments, in their order; those of lists of arrays do not count.

torch is never imported here: its operators (`torch.ops.nereid.*`) are made once a program has imported it.
"""
from __future__ import annotations

import functools
import inspect
import itertools
import operator
import sys

from ._arrays import countable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Array = Any  # a torch.Tensor or a numpy.ndarray
    Arrays = list[Array]
    Changed = Any  # one that the operation writes to

# Annotations of parameters, and what torch's schemas call them.
_SCHEMA_TYPES = {"Array": "Tensor", "Array | None": "Tensor?", "Arrays": "Tensor[]", "Changed": "Tensor({mark}!)", "Changed | None": "Tensor({mark}!)?",
                 "int": "SymInt", "int | None": "SymInt?", "float": "float", "float | None": "float?", "bool": "bool", "str": "str"}  # yapf: disable

# The same on numpy arrays: what each of them is, in words, and the question.
_EXPECTED = {
    "Array": ("an array of numpy or a tensor of torch", lambda value: _is_array(value)),
    "Changed": ("an array of numpy or a tensor of torch", lambda value: _is_array(value)),
    "Arrays": ("a list of arrays of numpy or tensors of torch", lambda value: isinstance(value, (list, tuple)) and all(map(_is_array, value))),
    "int": ("an integer", lambda value: _converts(operator.index, value)),
    "float": ("a number", lambda value: not isinstance(value, (str, bytes, bytearray)) and _converts(float, value)),
    "bool": ("a bool", lambda value: _converts(operator.index, value) or type(value).__name__.startswith("bool")),
    "str": ("a str", lambda value: isinstance(value, str)),
}

_declared = []
_torch = None  # the module, once our operators are there
_library = None


def _is_array(value):
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return type(value) is numpy.ndarray or not isinstance(value, numpy.ma.MaskedArray)  # the masks would be lost
    return hasattr(value, "new_empty")


def _converts(to, value):
    try:
        to(value)
    except (TypeError, ValueError):
        return False
    except OverflowError:  # 10**400 is a number
        pass
    return True


class Operation:
    """What a declaration says: names and types of arguments and results, and how to compute the latter."""

    def __init__(self, body, results, shown):
        self.body, self.name, self.results, self.shown = body, body.__name__, results, shown
        self.parameters = inspect.signature(body).parameters
        self.backward, self.backward_names = None, ()
        self.expected = {name: each.annotation.partition(" |")[0] for name, each in self.parameters.items()}
        self.may_be_none = {name for name, each in self.parameters.items() if each.annotation.endswith("| None")}
        self.read = {name for name, what in self.expected.items() if what == "Array"}
        self.known = set()  # types of arguments that were looked at, and of which every value will do

    def is_array(self, name):
        return self.parameters[name].annotation.startswith(("Array", "Changed"))

    @property
    def is_functional(self):
        return not any(each.annotation.startswith("Changed") for each in self.parameters.values())

    def schema(self):
        words = []
        for name, parameter in self.parameters.items():
            word = f"{_SCHEMA_TYPES[parameter.annotation].format(mark=f'a{len(words)}')} {name}"
            if parameter.default is not inspect.Parameter.empty:
                default = f'"{parameter.default}"' if isinstance(parameter.default, str) else parameter.default
                word += f"={default}"
            words.append(word)
        return f"{self.name}({', '.join(words)}) -> ({', '.join('Tensor' for _ in self.results)})"

    def make_results(self, *args, **kwargs):
        """The results, not yet computed."""
        return next(self.body(*args, **kwargs))

    def run(self, *args, **kwargs):
        steps = self.body(*args, **kwargs)
        results = next(steps)
        for _ in steps:
            raise AssertionError(f"`{self.name}` yields twice")
        return results

    def checked(self, args, kwargs):
        """The arguments, with Python's integers for those of numpy; wrong types are refused, as torch does by its schemas. What is known is not asked again; lists are looked into each time."""
        own = {name for name, value in (*zip(self.parameters, args), *kwargs.items()) if self.expected.get(name) == "int" and value is not None and not isinstance(value, int)}
        for name, value in (*zip(self.parameters, args), *kwargs.items()):
            if name not in self.parameters or value is None and name in self.may_be_none:
                continue
            words, holds = _EXPECTED[self.expected[name]]
            if not holds(value):
                raise TypeError(f"`{name}` of `nereid.ops.{self.name}` is of type `{type(value).__name__}`, but {words} is expected")
        if all(self.expected[name] != "Arrays" and not hasattr(value, "__len__") or self.expected[name] in ("Array", "Changed", "str") for name, value in zip(self.parameters, args)):
            if not own:
                self.known.add(tuple(map(type, args)))
        if own:
            args = [operator.index(value) if name in own else value for name, value in zip(self.parameters, args)]
            kwargs = {name: operator.index(value) if name in own else value for name, value in kwargs.items()}
        return args, kwargs

    def run_on_numpy(self, args, kwargs):
        """What it changes stays as it is: a kernel refuses what it could not write to."""
        args = [countable(value) if name in self.read else value for name, value in zip(itertools.chain(self.parameters, itertools.repeat("")), args)]
        return self.run(*args, **{name: countable(value) if name in self.read else value for name, value in kwargs.items()})

    def visible(self, results):
        if len(self.results) < 2:
            return results
        return results[0] if self.shown == 1 else results[:self.shown]


def _keep_for_backward(operation, ctx, inputs, output):
    output = output if isinstance(output, tuple) else (output, )
    values = dict(zip(operation.parameters, inputs)) | dict(zip(operation.results, output))
    needed = {name: values[name] for name in operation.backward_names}
    arrays = {name: value for name, value in needed.items() if name in operation.results or operation.is_array(name)}
    ctx.save_for_backward(*(each for value in arrays.values() for each in (value if isinstance(value, (list, tuple)) else [value])))
    ctx.lengths = {name: len(value) for name, value in values.items() if isinstance(value, (list, tuple))}
    ctx.numbers = {name: value for name, value in needed.items() if name not in arrays}
    if operation.shown < len(output):
        ctx.mark_non_differentiable(*output[operation.shown:])


def _go_backward(operation, ctx, *gradients):
    if operation.backward is None:
        raise RuntimeError(f"`nereid.ops.{operation.name}` has no gradient")
    saved = iter(ctx.saved_tensors)
    needed = [
        ctx.numbers[name] if name in ctx.numbers else [next(saved) for _ in range(ctx.lengths[name])] if name in ctx.lengths else next(saved)
        for name in operation.backward_names
    ]
    found = operation.backward(*gradients[:operation.shown], *needed)
    found = iter(found if isinstance(found, tuple) else (found, ))
    found = {name: next(found, None) for name in operation.parameters if operation.is_array(name) and name not in ctx.lengths}
    return tuple([None] * ctx.lengths[name] if name in ctx.lengths else found.get(name) for name in operation.parameters)


def _register(torch, operation):
    name = f"nereid::{operation.name}"
    _library.define(operation.schema(), tags=(torch.Tag.pt2_compliant_tag, ))
    for key in ("CPU", "CUDA"):
        _library.impl(operation.name, operation.run, key)
    torch.library.register_fake(name, operation.make_results, lib=_library)
    if operation.is_functional:
        torch.library.register_autograd(name, functools.partial(_go_backward, operation),
                                        setup_context=lambda ctx, inputs, output: _keep_for_backward(operation, ctx, inputs, output), lib=_library)


def register_with_torch():
    """Makes the operators, if the program uses torch."""
    global _torch, _library
    torch = sys.modules.get("torch")
    if _torch is not None or not hasattr(torch, "library"):
        return
    _library = torch.library.Library("nereid", "FRAGMENT")
    for operation in _declared:
        _register(torch, operation)
    _torch = torch


def op(results, shown=None):
    """Declares an operation: see above. `results` are the names of what it yields; `shown` of them are for callers, all if not given."""
    names = tuple(results.split())

    def declare(body):
        operation = Operation(body, names, len(names) if shown is None else shown)
        _declared.append(operation)

        @functools.wraps(body)
        def call(*args, **kwargs):
            if _torch is None and "torch" in sys.modules:
                register_with_torch()
            if _torch is not None and any(isinstance(each, _torch.Tensor) for each in (*args, *kwargs.values())):
                return operation.visible(getattr(_torch.ops.nereid, operation.name)(*args, **kwargs))
            if kwargs or tuple(map(type, args)) not in operation.known:
                args, kwargs = operation.checked(args, kwargs)
            return operation.visible(operation.run_on_numpy(args, kwargs))

        def gradient(function):
            operation.backward = function
            operation.backward_names = tuple(inspect.signature(function).parameters)[operation.shown:]
            return function

        call.gradient, call.operation = gradient, operation
        return call

    return declare

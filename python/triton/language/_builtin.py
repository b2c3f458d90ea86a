"""Functions of the language as Python objects.

Kernels are compiled from their source text, so these objects never run, but in kernels that run as Python. They carry the names by which the compiler knows
them (`__nereid_path__`), a documentation line and a signature for people and editors, and they say what to do when host
code calls one.
"""
from functools import partial, wraps

TRITON_BUILTIN = "__triton_builtin__"

# While a kernel runs as Python: computes a call of a function of the language from (function, args, kwargs).
evaluator = None


class NotInHostCode(Exception):
    """A function of the language, or of a kernel, was called by a program, where there is nothing that it could compute."""


class BuiltinOutside(NotInHostCode, ValueError):
    """As Triton says it of its builtins."""


class FunctionOutside(NotInHostCode, RuntimeError):
    """As Triton says it of jit functions."""


class BuiltinFunction:
    """A function that only exists inside of kernels."""

    __triton_builtin__ = True

    def __init__(self, module, name, parameters="*args, **kwargs", doc="", home=None):
        self.__module__ = module
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc
        self.__nereid_path__ = f"{home or module}.{name}"
        self._parameters = parameters

    def __call__(self, *args, **kwargs):
        if evaluator is not None:
            return evaluator(self, args, kwargs)
        raise BuiltinOutside(f"Did you forget to add @triton.jit ? `{self.__nereid_path__}` is compiled, so it can only be "
                             "called inside of a kernel (`_semantic` argument must be provided outside of JIT functions.)")

    def __get__(self, instance, owner=None):
        return self if instance is None or not hasattr(type(instance), "_flatten_ir") else partial(self, instance)

    def __repr__(self):
        return f"<function {self.__nereid_path__}({self._parameters})>"

    def __reduce__(self):
        return _find_function, (self.__module__, self.__name__)

    @property
    def __signature__(self):
        from inspect import signature
        scope = {"float32": "float32"}  # the default of a parameter may name a dtype
        exec(f"def function({self._parameters}): pass", scope)
        return signature(scope["function"])


class LibraryFunction(BuiltinFunction):
    """A function that Triton writes in its own language, as a jit function."""

    def __call__(self, *args, **kwargs):
        if evaluator is not None:
            return evaluator(self, args, kwargs)
        raise FunctionOutside(f"Cannot call @triton.jit'd outside of the scope of a kernel: `{self.__nereid_path__}` is "
                              "compiled, call it inside of a kernel")


def _find_function(module, name):
    from importlib import import_module
    return getattr(import_module(module), name)


def define_functions(namespace, table, kind=BuiltinFunction, home=None):
    """Puts one function per line `name(parameters) | documentation` of a table into a module's namespace.

    `home` is the module whose members the public ones are for the compiler, where it is not the module itself.
    """
    module = namespace["__name__"]
    for line in table.strip().splitlines():
        head, _, doc = line.partition(" | ")
        name, _, parameters = head.partition("(")
        namespace[name] = kind(module, name, parameters[:-1], doc, None if name[0] == "_" else home)


def builtin(fn):
    """Marks a function of the user as one that takes part in compilation: it gets a `_semantic` argument."""
    assert callable(fn)

    @wraps(fn)
    def wrapper(*args, **kwargs):
        if kwargs.get("_semantic") is None and evaluator is not None:
            from ..runtime.interpreter import interpreter_semantic
            kwargs["_semantic"] = interpreter_semantic
        if kwargs.get("_semantic") is None:
            raise ValueError(f"Did you forget to add @triton.jit ? `{fn.__name__}` can only be called inside of a kernel "
                             "(`_semantic` argument must be provided outside of JIT functions.)")
        return fn(*args, **kwargs)

    setattr(wrapper, TRITON_BUILTIN, True)
    return wrapper


def extern(fn):
    """Marks a function of the user that calls a device library."""
    return builtin(fn)


def is_builtin(fn):
    return getattr(fn, TRITON_BUILTIN, False)


def must_use_result(x, s=True):
    """Decorator: a kernel that drops the result of this function does not compile; a string says why."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s
    return x

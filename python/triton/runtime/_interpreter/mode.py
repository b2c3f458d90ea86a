"""Which way a launch goes in interpreter mode.

The library interprets a kernel as a whole: that is fast, and checks all of it first. A kernel runs as Python where
- its text, or that of a jit function that it calls, does what only Python can do: `print`, `breakpoint`, `import`, `with`,
  `try`, `global`, a list, dict, set or array of the host;
- a debugger or another trace function is active;
- steps of the interpreter, functions of the language or the loop over the grid were replaced (visualizers do that);
- the library does not compile it. Then nothing has run yet, and Python says what is wrong, if it finds anything.
All of this is known before the first program runs, so a kernel runs one way or the other, never both.
"""
import ast
import sys
import types

from ...compiler.errors import CompilationError, CompileTimeAssertionFailure
from ..errors import InterpreterError
from .._callable import JITCallable
from .._source import parse_source
from ..jit import JITFunction

# For tests: every kernel runs as Python.
always_python = False

_PYTHON_NAMES = {"print", "breakpoint", "input", "open", "exec", "eval", "globals", "locals", "vars", "help"}
_PYTHON_STATEMENTS = (ast.With, ast.Import, ast.ImportFrom, ast.Try, ast.Global, ast.Nonlocal)


def _is_of_host(value):
    """Whether a kernel that names the value may change it, or see it change."""
    return isinstance(value, (list, dict, set, bytearray)) or type(value).__module__.split(".")[0] in ("numpy", "torch") and hasattr(value, "shape")


def _found(node, scopes):
    """What a name or `module.name` stands for; None where that is not known."""
    if isinstance(node, ast.Name):
        return next((scope[node.id] for scope in scopes if node.id in scope), None)
    if isinstance(node, ast.Attribute):
        base = _found(node.value, scopes)
        return getattr(base, node.attr, None) if isinstance(base, (types.ModuleType, type)) else None
    return None


def _asks_for_python(function, seen):
    if id(function) in seen:
        return False
    seen.add(id(function))
    scopes = function._scopes()
    tree = parse_source(function.src)
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, _PYTHON_STATEMENTS):
            return True
        if not isinstance(node, (ast.Name, ast.Attribute)) or getattr(node, "id", None) in own:
            continue
        if isinstance(node, ast.Name) and node.id in _PYTHON_NAMES and not any(node.id in scope for scope in scopes):
            return True
        value = _found(node, scopes)
        if _is_of_host(value) or (isinstance(value, JITFunction) and _asks_for_python(value, seen)):
            return True
    return False


def needs_python(function):
    """Whether the text of a jit function does what only Python can do."""
    known = getattr(function, "_needs_python", None)
    if known is None or known[0] != function.src:
        needs = isinstance(function, JITFunction) and _asks_for_python(function, set())
        known = function._needs_python = (function.src, needs)
    return known[1]


def _is_traced():
    if sys.gettrace() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _call_kind(function, args, kwargs):
    """Equal for launches that compile alike."""
    constants = function.constexprs
    named = {**dict(zip(function.arg_names, args)), **kwargs}
    kinds = [function.src]
    for number, name in enumerate(function.arg_names):
        value = named.get(name)
        dtype = getattr(value, "dtype", None)
        kinds.append(str(dtype) if dtype is not None else repr(value) if number in constants else type(value))
    return tuple(kinds)


def runs_as_python(function, args, kwargs):
    from .hooks import is_hooked
    if always_python or _is_traced() or is_hooked() or needs_python(function) or not function.src:
        return True
    if any(isinstance(value, JITCallable) and needs_python(value) for value in (*args, *kwargs.values())):
        return True
    return bool(function.not_compiled) and _call_kind(function, args, kwargs) in function.not_compiled


def launch(function, grid, args, kwargs, compiled):
    """Runs a kernel as Python where it must, else by `compiled()`. The checker looks at compiled kernels alone."""
    if kwargs.get("check") and "check" not in function.arg_names:
        return compiled()
    if not runs_as_python(function, args, kwargs):
        try:
            return compiled()
        except CompileTimeAssertionFailure:
            raise
        except CompilationError:
            function.not_compiled.add(_call_kind(function, args, kwargs))
        except TypeError:
            pass  # an argument that compiled kernels do not take
    if not function.not_compiled:
        return function.run_as_python(args, grid, kwargs)
    try:
        return function.run_as_python(args, grid, kwargs)
    except InterpreterError as error:
        from nereid._support import _interpreter_error
        raise _interpreter_error(error) from error.__cause__

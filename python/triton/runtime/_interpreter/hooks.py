"""Whether somebody has put code of their own into the interpreter."""
from ... import language as tl
from ...language._builtin import BuiltinFunction
from .builder import interpreter_builder
from .executor import GridExecutor
from .rewriter import ASTTransformer


def _members(holder, kinds=object):
    return {name: value for name, value in vars(holder).items() if isinstance(value, kinds)}


_LANGUAGES = (tl, tl.core, tl.math, tl.standard)
_FUNCTIONS = [(language, _members(language, BuiltinFunction)) for language in _LANGUAGES]
_TRANSFORMER = _members(ASTTransformer)
_EXECUTOR = GridExecutor.__call__


def _is_changed(holder, members):
    now = vars(holder)
    return any(now.get(name) is not value for name, value in members.items())


def is_hooked():
    interpreter_builder.look_for_steps()
    return (GridExecutor.__call__ is not _EXECUTOR or interpreter_builder.is_stepped or _members(ASTTransformer) != _TRANSFORMER
            or any(_is_changed(language, members) for language, members in _FUNCTIONS))

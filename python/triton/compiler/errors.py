"""Errors of compiling a kernel: what is wrong, below the lines of its source that lead to it."""
import sys

from ..errors import TritonError

# Modules that print exceptions with their causes.
_PRINTERS = {"traceback", "exceptiongroup._formatting", "_pytest._code.code", "IPython.core.ultratb", "IPython.core.tbtools", "rich.traceback"}


class CompilationError(TritonError):
    """A kernel does not compile; `node` has the position (`lineno`, `col_offset`) inside of `src`."""

    source_line_count_max_in_message = 12
    _inner = None

    @property
    def __cause__(self):
        """The error as the language's own code would raise it, for programs that look. Its text is in the message already,
        so whoever prints is told only of causes that were given by `raise … from …`."""
        given = BaseException.__cause__.__get__(self)
        if given is not None or sys._getframe(1).f_globals.get("__name__") in _PRINTERS:
            return given
        return self._inner

    @__cause__.setter
    def __cause__(self, cause):
        self._inner = cause

    def __init__(self, src, node, error_message=None):
        super().__init__(src, node, error_message)
        self.src, self.node, self.error_message = src, node, error_message
        self.message = self._format_message()

    def _format_message(self):
        placed = hasattr(self.node, "lineno")
        if self.src is None:
            text = " <source unavailable>"
        elif not placed:
            text = self.src
        else:
            text = self._excerpt() or " <source empty>"
        if placed:
            text = f"at {self.node.lineno}:{self.node.col_offset}:\n{text}"
        return f"{text}\n{self.error_message}" if self.error_message else text

    def _excerpt(self):
        lines = self.src.split("\n")[:self.node.lineno][-self.source_line_count_max_in_message:]
        return "\n".join(lines + [" " * self.node.col_offset + "^"]) if lines else ""

    def __str__(self):
        return self.message


class CompileTimeAssertionFailure(CompilationError):
    """A `tl.static_assert` does not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """The kernel uses a part of Python that is not in the language."""

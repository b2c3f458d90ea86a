"""Errors of compiling a kernel: what is wrong, below the lines of its source that lead to it."""
from ..errors import TritonError


class CompilationError(TritonError):
    """A kernel does not compile; `node` has the position (`lineno`, `col_offset`) inside of `src`."""

    source_line_count_max_in_message = 12

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

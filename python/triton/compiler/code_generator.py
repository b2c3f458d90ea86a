"""Triton turns Python syntax into IR here; nereid does that in its library. Names that code asks for remain."""
from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct  # noqa: F401


class CodeGenerator:
    """Says that there is no code generator in Python."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("nereid compiles kernels from their source text; there is no code generator in Python")


def ast_to_ttir(*args, **kwargs):
    raise NotImplementedError("nereid has its own tile IR: read it with `triton.compile(…).asm['ttir']`")

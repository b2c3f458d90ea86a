"""Compiling kernels, and the errors of it."""
from ..runtime.cache import get_cache_key
from .compiler import ASTSource, CompiledKernel, IRSource, LazyDict, compile, make_backend
from .errors import CompilationError

__all__ = [
    "compile", "make_backend", "ASTSource", "IRSource", "CompiledKernel", "CompilationError", "LazyDict", "get_cache_key"
]

"""Triton builds IR through this module from Python; here the compiler does it, so only the name remains.

`triton.runtime.interpreter.interpreter_semantic` is one for kernels that run as Python.
"""


class TritonSemantic:
    """Says that there is no semantic object on the host."""

    def __init__(self, builder=None):
        raise NotImplementedError("nereid compiles kernels from their source text; there is no IR builder in Python")

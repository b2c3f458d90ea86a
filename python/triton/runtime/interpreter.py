"""With TRITON_INTERPRET=1 kernels run in the interpreter of nereid's library; nothing of it is in Python.

These names are what code asks `isinstance` about.
"""


class InterpretedFunction:
    """No object is of this class: a kernel is a `JITFunction` in both modes."""


class GridExecutor:
    """Says that launches do not go through Python."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("nereid interprets kernels in its library: set TRITON_INTERPRET=1 and launch them as always")

"""Kernels that run as Python: with TRITON_INTERPRET=1, where a kernel does what only Python can do.

The body of the kernel runs in CPython, once for each program of the grid. Its tiles are `tl.tensor`s that hold numpy arrays.
What an operation means is not said here: `a + b` or `tl.sum(x, axis=0)` is compiled from its text like any kernel, once for
each kind of operands, and computed by the interpreter of nereid's library (`nereid._native.operation`).

    mode.py       which way a launch goes: through the library, or as Python
    executor.py   a launch as Python: arguments to the host and back, one call for each program
    rewriter.py   the small changes to the text of a kernel that make it a Python function
    operation.py  one operation: compiled, kept, computed
    values.py     tensors, numbers, tuples, block pointers and descriptors as operands and results
    calls.py      calls of functions of the language, and those that Python itself answers
    operators.py  operators and members of `tl.tensor`
    handle.py     what tensors hold
    builder.py    the hooks of visualizers: one method for each step of an operation
"""

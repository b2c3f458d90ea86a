"""What notebooks of puzzles ask of triton-viz, answered by the checker and the page of `nereid view`.

Where that package is not installed, `import triton_viz` gives this one: `triton_viz.trace(kernel)[grid](…)` runs a kernel under the checker, and
`triton_viz.launch()` shows the page of that launch in a notebook, says what the checker found, and gives it back. A kernel that calls `print` runs as
Python instead.
"""
from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class Trace:
    """A kernel whose launches are looked at: they write their results as any other launch, but never outside of their tensors."""

    def __init__(self, kernel: Any):
        self.kernel = kernel

    def __getitem__(self, grid: Any) -> Any:
        return lambda *args, **kwargs: record_builder.run(self.kernel, grid, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kernel, name)


class RecordBuilder:
    """The last launch, and what was found in it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.call: Any = None
        self.found = ""

    def run(self, kernel: Any, grid: Any, args: Any, kwargs: Any) -> None:
        self.call, self.found = (kernel, grid, args, kwargs), ""
        if self.is_interpreted():
            from triton.runtime.interpreter import InterpretedFunction
            InterpretedFunction(kernel.fn)[grid](*args, **kwargs)
        else:
            from .kernels import check
            self.found = check(kernel, grid, *args, **kwargs)

    def is_interpreted(self) -> bool:
        """Whether the kernel prints, as Python does, what compiled code has no values of to print."""
        function = getattr(self.call[0], "fn", None)
        return "print" in getattr(getattr(function, "__code__", None), "co_names", ())

    def show(self) -> str:
        if self.call is None:
            raise RuntimeError("nothing was traced: `triton_viz.trace(kernel)[grid](…)` comes first")
        kernel, grid, args, kwargs = self.call
        if _is_notebook() and not self.is_interpreted():
            from IPython.display import display  # type: ignore[import-not-found]
            from .kernels import view
            display(view(kernel, grid, *args, **kwargs))
        if self.found:
            print(self.found)
        return self.found


record_builder = RecordBuilder()


def _is_notebook() -> bool:
    return "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None


def trace(kernel: Any) -> Trace:
    """The kernel, with launches that are recorded."""
    return Trace(kernel)


def launch(*_: Any, **__: Any) -> str:
    """Shows the last launch; what the checker found in it, "" for nothing."""
    return record_builder.show()


def modules() -> dict[str, ModuleType]:
    """The modules of triton-viz that there are, by their names."""
    package, interpreter = ModuleType("triton_viz", __doc__), ModuleType("triton_viz.interpreter", __doc__)
    package.__path__ = []
    package.trace, package.launch, package.interpreter = trace, launch, interpreter  # type: ignore[attr-defined]
    interpreter.record_builder = record_builder  # type: ignore[attr-defined]
    return {module.__name__: module for module in (package, interpreter)}

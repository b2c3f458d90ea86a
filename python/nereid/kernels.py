"""Loading, compiling, launching, tuning, timing, checking, counting and viewing kernels."""
from __future__ import annotations

import sys

from ._places import dropin_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from .counted import Counted
    from .page import Page

    Grid = int | tuple[int, ...] | Callable[[dict[str, Any]], tuple[int, ...]]


def _triton() -> Any:
    """nereid's `triton`, which takes the name for the whole process: two of them cannot live in one."""
    found = sys.modules.get("triton")
    if found is None:
        if dropin_folder() not in sys.path:
            sys.path.insert(0, dropin_folder())
        import triton as found
    if not getattr(found, "__nereid__", False):
        raise RuntimeError(f"this process has imported another `triton` ({found.__file__}), whose kernels nereid cannot run: "
                           "`python -m nereid.enable` makes `import triton` mean nereid's, `python -m nereid SCRIPT` does so for one script")
    return found


def load(place: str) -> Any:
    """The kernel that `FILE.py:NAME` names, or a dict of all kernels of `FILE.py`. The file is run, as an import does."""
    import os
    from importlib.util import module_from_spec, spec_from_file_location
    triton = _triton()
    path, _, name = place.partition(":")
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file `{path}`")
    spec = spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # for the imports of the file
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.path[0]
    kernels = {key: value for key, value in vars(module).items() if isinstance(value, triton.KernelInterface)}
    if not name:
        return kernels
    if name not in kernels:
        raise KeyError(f"`{path}` has no kernel `{name}`; it has {', '.join(kernels) or 'none'}")
    return kernels[name]


def launch(kernel: Any, grid: Grid, *args: Any, **kwargs: Any) -> Any:
    """Runs a kernel over a grid: a number, a tuple or a function of the arguments."""
    _triton()
    return kernel[(grid, ) if isinstance(grid, int) else grid](*args, **kwargs)


def compile(kernel: Any, signature: Mapping[str, str], constants: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """A kernel compiled for argument types, without running it: `compile(add, {"x": "*fp32", "n": "i32"}, {"BLOCK": 64})`."""
    triton = _triton()
    constants = dict(constants or {})
    types = {**signature, **dict.fromkeys(constants, "constexpr")}
    return triton.compile(triton.compiler.ASTSource(kernel, types, constants), options=options)


def bench(kernel: Any, grid: Grid, *args: Any, quantiles: Sequence[float] | None = None, **kwargs: Any) -> Any:
    """Milliseconds of a launch: the mean, or the quantiles that are asked for."""
    from importlib import import_module
    _triton()
    return import_module("triton.testing").do_bench(lambda: launch(kernel, grid, *args, **kwargs), quantiles=quantiles)


def tune(kernel: Any, configs: Iterable[Any], grid: Grid, *args: Any, **kwargs: Any) -> tuple[Any, dict[Any, float]]:
    """(the fastest of some configs, the milliseconds of each): every config is a dict of meta-parameters or a `triton.Config`."""
    triton = _triton()
    configs = [triton.Config(config) if isinstance(config, dict) else config for config in configs]
    times = {}
    for config in configs:
        try:
            times[config] = bench(kernel, grid, *args, **kwargs, **config.all_kwargs())
        except (triton.OutOfResources, triton.CompilationError):
            times[config] = float("inf")
    return min(times, key=times.get), times


def _without_wrappers(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], what: str) -> tuple[Any, dict[str, Any]]:
    """The jit function below `autotune` and `heuristics`, and the parameters that these fill in: those of the best configuration where
    there was a launch, else of the first one."""
    while not hasattr(kernel, "check"):
        if hasattr(kernel, "configs"):
            config = getattr(kernel, "best_config", None) or kernel.configs[0]
            kwargs = {**config.all_kwargs(), **kwargs}
            if config.pre_hook is not None:
                config.pre_hook({**dict(zip(kernel.arg_names, args)), **kwargs})
        elif hasattr(kernel, "values"):
            kwargs = kernel._with_values(args, dict(kwargs))
        if not hasattr(kernel, "fn"):
            raise TypeError(f"`{what}` takes a kernel, a function with @triton.jit, not {type(kernel).__name__}")
        kernel = kernel.fn
    return kernel, kwargs


def check(kernel: Any, grid: Grid, *args: Any, **kwargs: Any) -> str:
    """What the sanitizer finds in a launch, as text; empty where it finds nothing.

    It is a launch: the kernel runs on the memory of its arguments and writes its results there, but never outside of them. Reported
    are accesses outside of tensors, lanes that a masked load left undefined, races between programs, failed asserts, each with its
    line. Kernels of files, notebooks and the prompt are checked alike; tensors may be numpy's or torch's.
    """
    _triton()
    kernel, kwargs = _without_wrappers(kernel, args, kwargs, "nereid.check")
    return kernel.check((grid, ) if isinstance(grid, int) else grid, args, kwargs)


def view(kernel: Any, grid: Grid, *args: Any, target: str = "sm_90a", **kwargs: Any) -> Page:
    """A page about a launch, which notebooks show: the source beside every stage of the compiler, what programs touch and compute step by
    step, layouts, the pipeline and counters. `nereid view` writes the same one.

    A few programs run on the interpreter; the arguments hold what they held before. `target` says what code is shown for: `sm_90a`,
    `sm_80` (both with this processor), `cpu`.
    """
    from .counted import Counted
    from .page import Page
    _triton()
    kernel, kwargs = _without_wrappers(kernel, args, kwargs, "nereid.view")
    return Page(kernel.view((grid, ) if isinstance(grid, int) else grid, args, kwargs, target))


def count(kernel: Any, grid: Grid, *args: Any, target: str = "", device_row: str = "", **kwargs: Any) -> Counted:
    """What a launch does, counted on the interpreter: what `nereid count --json` prints, as a dictionary, which notebooks show as tables.

    It is a launch: the kernel runs on the memory of its arguments and writes its results there. `["total"]["bytes_read"]` and its like are
    sums, `["lines"]` has them by source line, `["verdicts"]` says where the kernel loses time. `target` is what the kernel is compiled for
    ("sm_90a", "sm_80", "cpu"), `device_row` whose caches and rates are taken ("H200", "A100", …).
    """
    import json  # `import triton` does not load it

    from .counted import Counted
    _triton()
    kernel, kwargs = _without_wrappers(kernel, args, kwargs, "nereid.count")
    return Counted(json.loads(kernel.count((grid, ) if isinstance(grid, int) else grid, args, kwargs, target, device_row)))

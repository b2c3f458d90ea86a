"""Loading, compiling, launching, tuning, timing and checking kernels."""
import sys

from ._places import dropin_folder, program


def _triton():
    """nereid's `triton`, which takes the name for the whole process: two of them cannot live in one."""
    found = sys.modules.get("triton")
    if found is None:
        if dropin_folder() not in sys.path:
            sys.path.insert(0, dropin_folder())
        import triton as found
    if not getattr(found, "__nereid__", False):
        raise RuntimeError(f"this process has imported another `triton` ({found.__file__}): import nereid before it, "
                           "or run the script with `python -m nereid`")
    return found


def load(place):
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


def launch(kernel, grid, *args, **kwargs):
    """Runs a kernel over a grid: a number, a tuple or a function of the arguments."""
    return kernel[(grid, ) if isinstance(grid, int) else grid](*args, **kwargs)


def compile(kernel, signature, constants=None, **options):
    """A kernel compiled for argument types, without running it: `compile(add, {"x": "*fp32", "n": "i32"}, {"BLOCK": 64})`."""
    triton = _triton()
    constants = dict(constants or {})
    types = {**signature, **dict.fromkeys(constants, "constexpr")}
    return triton.compile(triton.compiler.ASTSource(kernel, types, constants), options=options)


def bench(kernel, grid, *args, quantiles=None, **kwargs):
    """Milliseconds of a launch: the mean, or the quantiles that are asked for."""
    from importlib import import_module
    _triton()
    return import_module("triton.testing").do_bench(lambda: launch(kernel, grid, *args, **kwargs), quantiles=quantiles)


def tune(kernel, configs, grid, *args, **kwargs):
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


def check(kernel, grid, *args, **kwargs):
    """What the sanitizer finds in a launch, as text; empty where it finds nothing. The arguments are not changed.

    It reads the file of the kernel again: accesses outside of tensors, lanes that a masked load left undefined, races
    between programs, failed asserts, each with its line.
    """
    import os
    import subprocess
    import tempfile
    import numpy as np
    tool = program()
    if tool is None:
        raise RuntimeError("the program `nereid` is not installed beside this package, and it does the checking")
    named = {**dict(zip(kernel.arg_names, args)), **kwargs}
    extents = grid(named) if callable(grid) else grid
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for name, value in named.items():
            if hasattr(value, "__array__"):
                path = os.path.join(folder, f"{name}.npy")
                np.save(path, np.asarray(value))
                value = path
            words.append(f"{name}={value}")
        file = kernel.fn.__code__.co_filename
        done = subprocess.run([tool, "check", f"{file}:{kernel.fn.__name__}", *words, "--grid", str(extents)],
                              capture_output=True, text=True)
    if done.returncode in (0, 1):
        return done.stderr + done.stdout if done.returncode else ""
    raise RuntimeError(done.stderr.strip() or done.stdout.strip())

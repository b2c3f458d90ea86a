"""Processes that Inductor starts mean this `triton`, too: newer versions of torch give them a PYTHONPATH on which torch's own folder comes first, and
with it the Triton that is installed there."""
import functools
import os
import sys

_UTILS = "torch._inductor.utils"
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class _Finder:
    """One of `sys.meta_path`: finds no module, and changes one when it has been loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != _UTILS:
            return None
        sys.meta_path.remove(_Finder)
        from importlib.util import find_spec
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            plain = spec.loader.exec_module

            def load(module):
                plain(module)
                _come_first(module)

            spec.loader.exec_module = load
        return spec


def _come_first(*modules):
    """The function that makes the environment of such processes puts our folder first, in every module that has it."""
    environment = getattr(modules[0], "python_subprocess_env", None)
    if environment is None:  # older versions keep the order of `sys.path`
        return

    @functools.wraps(environment)
    def with_ours(*args, **kwargs):
        found = environment(*args, **kwargs)
        found["PYTHONPATH"] = os.pathsep.join(filter(None, (_FOLDER, found.get("PYTHONPATH"))))
        return found

    for module in modules:
        if getattr(module, "python_subprocess_env", None) is environment:
            module.python_subprocess_env = with_ours


def bring_along():
    if _UTILS in sys.modules:
        users = (_UTILS, "torch._inductor.compile_worker.subproc_pool", "torch._inductor.autotune_process")
        _come_first(*(sys.modules[name] for name in users if name in sys.modules))
    elif _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)

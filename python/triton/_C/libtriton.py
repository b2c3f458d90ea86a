"""The names of Triton's compiled module that host code uses; of its bindings of MLIR there is what `ir` has."""
from .._absent import absent_module
from .._knob_types import getenv, getenv_bool  # noqa: F401
from . import ir, linear_layout, nvidia  # noqa: F401
import sys as _sys

for _name in ("ir", "linear_layout", "nvidia"):
    _sys.modules[f"{__name__}.{_name}"] = globals()[_name]

_NO_BINDINGS = ("kernels are compiled in nereid's own library, which has no bindings of MLIR: compile with `triton.compile` and read the "
                "texts in `.asm`")
_ABSENT = {
    "passes": _NO_BINDINGS, "llvm": _NO_BINDINGS, "interpreter": "set TRITON_INTERPRET=1 and launch kernels as always",
    "gluon_ir": "kernels in Gluon are not compiled: write them with `triton.jit` and `triton.language`",
    "amd": "AMD GPUs are not supported", "proton": "`triton.profiler` times scopes and launches without it",
}  # yapf: disable
for _name, _advice in _ABSENT.items():
    globals()[_name] = absent_module(f"{__name__}.{_name}", _advice)


def get_cache_invalidating_env_vars():
    """Variables that change what is compiled; those that are options are in the keys of options."""
    from .. import knobs
    return {"TRITON_DISABLE_LINE_INFO": "true"} if knobs.compilation.disable_line_info else {}


def __getattr__(name):
    if name == "native_specialize_impl":
        from ..runtime._specialization import native_specialize_impl
        return native_specialize_impl
    raise AttributeError(f"module 'triton._C.libtriton' has no attribute '{name}': nereid's compiler is another library")

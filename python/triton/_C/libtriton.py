"""The few names of Triton's compiled module that host code uses; its bindings of MLIR do not exist here."""
from .._knob_types import getenv, getenv_bool  # noqa: F401
from . import nvidia  # noqa: F401


def get_cache_invalidating_env_vars():
    """Variables that change what is compiled: nereid keeps them in its own keys."""
    return {}


def __getattr__(name):
    raise AttributeError(f"module 'triton._C.libtriton' has no attribute '{name}': nereid's compiler is another library")

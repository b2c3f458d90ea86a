"""Questions of kernels about the device they are compiled for."""
from ..runtime.jit import constexpr_function

__all__ = ["current_target"]


def current_target():
    """The target of the active driver, or None where no device is active."""
    from ..runtime.driver import driver
    try:
        return driver.active.get_current_target()
    except RuntimeError:
        return None


def _is_backend(name):
    target = current_target()
    return target is not None and target.backend == name


def _is_architecture(name):
    target = current_target()
    return target is not None and target.arch == name


@constexpr_function
def is_cuda():
    return _is_backend("cuda")


@constexpr_function
def cuda_capability_geq(major, minor=0):
    """Whether the device is an NVIDIA GPU of at least this compute capability."""
    return _is_backend("cuda") and current_target().arch >= major * 10 + minor


@constexpr_function
def is_hip():
    return _is_backend("hip")


@constexpr_function
def is_hip_cdna3():
    return _is_architecture("gfx942")


@constexpr_function
def is_hip_cdna4():
    return _is_architecture("gfx950")


current_target.__triton_builtin__ = True
for _name in ("current_target", "is_cuda", "cuda_capability_geq", "is_hip", "is_hip_cdna3", "is_hip_cdna4"):
    globals()[_name].__nereid_path__ = f"triton.language.target_info.{_name}"

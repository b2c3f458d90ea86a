"""The kinds of devices: `cpu` and `nvidia` here; `amd` is a name that says it is not there."""
from importlib import import_module


class Backend:
    """The compiler and the driver of one kind of device."""

    def __init__(self, name):
        self._name = name

    @property
    def compiler(self):
        return import_module(f".{self._name}.compiler", __name__).BACKEND

    @property
    def driver(self):
        return import_module(f".{self._name}.driver", __name__).DRIVER


backends = {name: Backend(name) for name in ("cpu", "nvidia")}


def __getattr__(name):
    if name in ("compiler", "driver", "cpu", "nvidia", "amd"):
        return import_module(f".{name}", __name__)
    if name in ("DriverBase", "BaseBackend"):
        return getattr(import_module(".driver" if name == "DriverBase" else ".compiler", __name__), name)
    raise AttributeError(f"module 'triton.backends' has no attribute '{name}'")

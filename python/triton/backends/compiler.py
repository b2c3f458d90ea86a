"""What a device is to the compiler."""
from enum import Enum


class GPUTarget:
    """A kind of device: its back end, its architecture, the lanes that run in step."""

    __slots__ = ("backend", "arch", "warp_size")

    def __init__(self, backend, arch, warp_size):
        for name, value in (("backend", backend), ("arch", arch), ("warp_size", warp_size)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot assign to field '{name}' of a GPUTarget")

    def _fields(self):
        return self.backend, self.arch, self.warp_size

    def __eq__(self, other):
        return isinstance(other, GPUTarget) and self._fields() == other._fields()

    def __hash__(self):
        return hash(self._fields())

    def __repr__(self):
        return f"GPUTarget(backend={self.backend!r}, arch={self.arch!r}, warp_size={self.warp_size!r})"

    def __reduce__(self):
        return GPUTarget, self._fields()


class Language(Enum):
    TRITON = 0
    GLUON = 1


class BaseBackend:
    """The compiler of one kind of device, as far as host code asks it questions."""

    supports_native_tensor_specialization = True
    name = ""

    def __init__(self, target):
        assert self.supports_target(target), f"`{type(self).__name__}` does not compile for {target}"
        self.target = target

    @classmethod
    def supports_target(cls, target):
        return target.backend == cls.name

    def hash(self):
        from ..runtime.cache import triton_key
        return f"{triton_key()}-{self.target}"

    def parse_options(self, options):
        """The compile options of a launch, with the defaults of the device."""
        from types import SimpleNamespace
        defaults = {"num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": None, "enable_fp_fusion": True,
                    "debug": False, "sanitize_overflow": True, "extern_libs": None, "warp_size": self.target.warp_size,
                    "backend_name": self.name}  # yapf: disable
        return SimpleNamespace(**{**defaults, **{name: value for name, value in options.items() if value is not None}})

    def get_module_map(self):
        from ..language.extra import libdevice
        return {"triton.language.extra.libdevice": libdevice}

    @staticmethod
    def parse_attr(desc):
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_int_specialization(arg, **kwargs):
        return "D" if arg % 16 == 0 and kwargs.get("align", False) else ""

    @staticmethod
    def get_tensor_specialization(arg, **kwargs):
        return "D" if arg.data_ptr() % 16 == 0 and kwargs.get("align", False) else ""

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

    def _asdict(self):
        return dict(zip(self.__slots__, self._fields()))

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


class Options:
    """The options of a compilation: what was given, and defaults for the rest."""

    def __init__(self, values):
        self.__dict__.update(values)

    def __repr__(self):
        return f"Options({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def hash(self):
        from ..runtime._callable import digest
        return digest("_".join(f"{name}-{value}" for name, value in sorted(self.__dict__.items())))


class BaseBackend:
    """The compiler of one kind of device, as far as host code asks it questions."""

    supports_native_tensor_specialization = True
    name = ""
    binary_ext = ""

    def __init__(self, target):
        assert self.supports_target(target), f"`{type(self).__name__}` does not compile for {target}"
        self.target = target

    @classmethod
    def supports_target(cls, target):
        return target.backend == cls.name

    def hash(self):
        from ..runtime.cache import triton_key
        return f"{triton_key()}-{self.target}"

    def default_options(self):
        """All options that there are, as they are where nothing is given."""
        from .. import knobs
        return {"num_warps": 4, "num_ctas": 1, "num_stages": 3, "warp_size": self.target.warp_size, "maxnreg": None,
                "ptx_version": None, "ptx_options": knobs.nvidia.ptxas_options, "ir_override": None,
                "enable_fp_fusion": knobs.language.default_fp_fusion, "enable_reflect_ftz": True,
                "launch_cooperative_grid": False, "launch_pdl": False,
                "supported_fp8_dtypes": ("fp8e4b15", "fp8e4nv", "fp8e5"), "deprecated_fp8_dot_operand_dtypes": (),
                "default_dot_input_precision": knobs.language.fp32_default or "tf32",
                "allowed_dot_input_precisions": ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"),
                "max_num_imprecise_acc_default": 0, "extern_libs": (), "debug": False, "backend_name": self.name,
                "sanitize_overflow": True, "arch": None, "instrumentation_mode": ""}  # yapf: disable

    def parse_options(self, options):
        """The options among these names (arguments of a launch may be among them), with defaults for the rest."""
        defaults = self.default_options()
        parsed = {**defaults, **{name: options[name] for name in defaults if options.get(name) is not None}}
        assert parsed["num_warps"] > 0 and parsed["num_warps"] & (parsed["num_warps"] - 1) == 0, "num_warps must be a power of 2"
        parsed["extern_libs"] = tuple(dict(parsed["extern_libs"]).items())
        return Options(parsed)

    def compiler_options(self, given):
        """What of the given options goes to the compiler, which refuses names that it does not know."""
        from .. import knobs
        options = {name: value for name, value in given.items() if value is not None and name != "arch"}
        if not knobs.language.default_fp_fusion:
            options.setdefault("enable_fp_fusion", False)
        if knobs.language.fp32_default:
            options.setdefault("default_dot_input_precision", knobs.language.fp32_default)
        if knobs.language.any_extent:
            options.setdefault("any_extent", True)
        if knobs.nvidia.ptxas_options:
            options.setdefault("ptx_options", knobs.nvidia.ptxas_options)
        if knobs.compilation.disable_line_info:
            options.setdefault("line_info", False)
        if "extern_libs" in options:
            options["extern_libs"] = dict(options["extern_libs"])
        return options

    def metadata_of(self, facts, options):
        """What a compiled kernel's metadata has beside its options."""
        from .. import __version__
        return {"name": facts["name"], "shared": 0, "tmem_size": 0, "global_scratch_size": 0, "global_scratch_align": 1,
                "profile_scratch_size": 0, "profile_scratch_align": 1, "tensordesc_meta": [], "cluster_dims": (1, 1, 1),
                "triton_version": __version__}  # yapf: disable

    def pack_metadata(self, metadata):
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    def get_codegen_implementation(self, options):
        """Functions that Triton's code generator asks of a back end: nereid's compiler is not asked through them."""
        return {}

    def load_dialects(self, context):
        """nereid's compiler has its own dialects, loaded when it needs them."""

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

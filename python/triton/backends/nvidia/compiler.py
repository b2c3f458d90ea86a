"""The compiler for NVIDIA GPUs, as host code sees it."""
from ..compiler import BaseBackend, GPUTarget, Options


def min_dot_size(target):
    """A function of two operands' types: the least extents (M, N, K) of their product."""

    def least_extents(lhs_type, rhs_type):
        widths = [kind.scalar.primitive_bitwidth for kind in (lhs_type, rhs_type)]
        assert widths[0] == widths[1], f"the operands of a product have one width, got {widths[0]} and {widths[1]} bits"
        return (1, 1, 32 if widths[0] == 8 else 16)

    return least_extents


class CUDAOptions(Options):
    """The options of a compilation for an NVIDIA GPU, with their defaults, before the architecture is known."""

    def __init__(self, **given):
        defaults = BaseBackend.default_options(CUDABackend(GPUTarget("cuda", 90, 32)))
        unknown = sorted(set(given) - set(defaults))
        if unknown:
            raise TypeError(f"`CUDAOptions` has no option `{unknown[0]}`: there are {', '.join(sorted(defaults))}")
        super().__init__({**defaults, **given})


class CUDABackend(BaseBackend):
    name = "cuda"
    binary_ext = "cubin"

    def hash(self):
        from nereid import _native
        return f"{super().hash()}-{_native.assembler()}"

    def _capability(self, arch):
        digits = str(arch).removeprefix("sm").removeprefix("_").rstrip("a")
        if not digits.isdecimal():
            raise ValueError(f"TRITON_OVERRIDE_ARCH must have the form ^sm(\\d+)$, got {arch!r}")
        return int(digits)

    def default_options(self):
        from ... import knobs
        arch = knobs.runtime.override_arch or f"sm{self.target.arch}"
        capability = self._capability(arch)
        return {**super().default_options(), "arch": arch,
                "supported_fp8_dtypes": ("fp8e4b15", "fp8e4nv", "fp8e5") if capability >= 89 else ("fp8e4b15", "fp8e5"),
                "deprecated_fp8_dot_operand_dtypes": ("fp8e4b15", ) if capability >= 90 else (),
                "max_num_imprecise_acc_default": 2**30 if capability == 90 else 0}  # yapf: disable

    def parse_options(self, options):
        parsed = super().parse_options(options)
        capability = self._capability(parsed.arch)
        if parsed.num_ctas > 1 and capability < 90:
            raise ValueError(f"num_ctas > 1 requires NVIDIA SM90+ (Hopper). Current target is sm_{capability}: set num_ctas=1")
        return parsed

    def get_codegen_implementation(self, options):
        return {"min_dot_size": min_dot_size(self.target)}

    def metadata_of(self, facts, options):
        # A program runs on one block whatever `num_ctas` says. Kernels that make tensor maps do it on the host, with our launcher;
        # the size tells others, as Triton's does, that the kernel wants more than its arguments. Their code uses no maps.
        return {**super().metadata_of(facts, options), "num_warps": facts["threads"] // 32, "num_ctas": 1,
                "shared": facts["shared"], "global_scratch_size": 128 * facts["tensor_maps"],
                "global_scratch_align": 128}  # yapf: disable


def get_ptx_version_from_options(options, arch):
    """The version of PTX that code for an architecture is written in."""
    return getattr(options, "ptx_version", None) or (80 if arch <= 90 else 87)


BACKEND = CUDABackend

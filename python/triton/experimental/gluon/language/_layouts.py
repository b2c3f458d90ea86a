"""Layouts of Gluon as descriptions; the compiler does not use them."""
from dataclasses import dataclass, field


class DistributedLayout:
    """Which thread holds which element."""


class SharedLayout:
    """Where elements lie in shared memory."""


def _no_bases():
    return field(default_factory=list)


@dataclass(frozen=True)
class AutoLayout(DistributedLayout):
    """Left to the compiler."""


@dataclass(frozen=True)
class CoalescedLayout(DistributedLayout):
    """Neighbouring threads hold neighbouring elements."""


@dataclass(frozen=True)
class BlockedLayout(DistributedLayout):
    size_per_thread: list
    threads_per_warp: list
    warps_per_cta: list
    order: list
    cga_layout: list = _no_bases()


@dataclass(frozen=True)
class SliceLayout(DistributedLayout):
    dim: int
    parent: DistributedLayout


@dataclass(frozen=True)
class DistributedLinearLayout(DistributedLayout):
    reg_bases: list
    lane_bases: list
    warp_bases: list
    block_bases: list
    shape: list


@dataclass(frozen=True)
class DotOperandLayout(DistributedLayout):
    operand_index: int
    parent: DistributedLayout
    k_width: int


@dataclass(frozen=True)
class NVMMADistributedLayout(DistributedLayout):
    version: list
    warps_per_cta: list
    instr_shape: list
    cga_layout: list = _no_bases()


@dataclass(frozen=True)
class NVMMASharedLayout(SharedLayout):
    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: list = _no_bases()

    @staticmethod
    def get_default_for(block_shape, dtype, transposed=False, fp4_padded=False, cga_layout=()):
        """The widest swizzle that the rows of a block fill."""
        row_bytes = block_shape[0 if transposed else -1] * (2 if fp4_padded else 1) * dtype.primitive_bitwidth // 8
        swizzle = next((width for width in (128, 64, 32) if row_bytes >= width and row_bytes % width == 0), 0)
        return NVMMASharedLayout(swizzle if len(block_shape) > 1 else 0, dtype.primitive_bitwidth, len(block_shape),
                                 transposed, fp4_padded, list(cga_layout))


@dataclass(frozen=True)
class SwizzledSharedLayout(SharedLayout):
    vec: int
    per_phase: int
    max_phase: int
    order: list
    cga_layout: list = _no_bases()


@dataclass(frozen=True)
class PaddedSharedLayout(SharedLayout):
    interval_padding_pairs: list
    offset_bases: list
    block_bases: list
    shape: list

    @staticmethod
    def with_identity_for(interval_padding_pairs, shape, order):
        """Elements lie one after the other, the dimension that `order` names first fastest, with the padding between them."""
        bases = [[1 << bit if i == dim else 0 for i in range(len(shape))]
                 for dim in order for bit in range(shape[dim].bit_length() - 1)]  # yapf: disable
        return PaddedSharedLayout(interval_padding_pairs, bases, [], shape)


@dataclass(frozen=True)
class SharedLinearLayout(SharedLayout):
    offset_bases: list
    block_bases: list = _no_bases()
    alignment: int = 16


def warps_per_cta(layout, shape):
    """How many warps a layout has along each dimension."""
    return layout.warps_per_cta

"""Layouts of AMD's matrix instructions, as descriptions."""
from dataclasses import dataclass

from .._layouts import DistributedLayout, _no_bases


@dataclass(frozen=True)
class AMDMFMALayout(DistributedLayout):
    version: int
    instr_shape: list
    transposed: bool
    warps_per_cta: list
    element_bitwidth: int = 32
    tiles_per_warp: list = None
    cga_layout: list = _no_bases()


@dataclass(frozen=True)
class AMDWMMALayout(DistributedLayout):
    version: int
    transposed: bool
    warps_per_cta: list
    instr_shape: list = None
    reg_bases: list = _no_bases()
    cga_layout: list = _no_bases()

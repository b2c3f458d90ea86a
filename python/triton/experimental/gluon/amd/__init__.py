"""Gluon on AMD GPUs: host side, of which nothing is here."""
from ...._absent import absent_module

gfx1250 = absent_module(f"{__name__}.gfx1250", "AMD GPUs are not supported")

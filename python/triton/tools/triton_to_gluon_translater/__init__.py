"""Triton turns kernels into Gluon with this; nereid does not compile Gluon."""
from ..._absent import absent_module

for _name in ("translator", "translator_helpers"):
    globals()[_name] = absent_module(f"{__name__}.{_name}", "kernels in Gluon are not compiled; the Triton kernel runs as it is")

"""Instructions of AMD GPUs in Gluon: nereid does not compile for them."""
from ....._absent import absent_module
from ._layouts import AMDMFMALayout, AMDWMMALayout  # noqa: F401

for _name in ("cdna3", "cdna4", "gfx1250", "rdna3", "rdna4"):
    globals()[_name] = absent_module(f"{__name__}.{_name}", "AMD GPUs and Gluon are not supported: write kernels with `triton.jit`")

"""The compiler for processors, as host code sees it."""
from ..compiler import BaseBackend


class CPUBackend(BaseBackend):
    name = "cpu"
    binary_ext = "nereid"

    def hash(self):
        from nereid import _native
        return f"{super().hash()}-{_native.processor()}"


BACKEND = CPUBackend

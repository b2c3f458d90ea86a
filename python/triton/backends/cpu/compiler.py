"""The compiler for processors, as host code sees it."""
from ..compiler import BaseBackend


class CPUBackend(BaseBackend):
    name = "cpu"


BACKEND = CPUBackend

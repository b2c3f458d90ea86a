"""There is no compiler for AMD GPUs."""
from ..compiler import BaseBackend


class HIPBackend(BaseBackend):
    name = "hip"

    def __init__(self, target):
        raise RuntimeError(f"nereid does not compile for AMD GPUs ({target})")

"""There is no driver for AMD GPUs."""
from ..driver import DriverBase


class HIPDriver(DriverBase):
    name = "hip"

    def __init__(self):
        raise RuntimeError("nereid does not run on AMD GPUs")

    @classmethod
    def is_active(cls):
        return False

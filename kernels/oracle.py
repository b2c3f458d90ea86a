"""oracle.py: what the oracle tests of the kernels share: the path to nereid_test, element types, random inputs."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "python"))

import numpy as np
import nereid_test
from nereid_test import Checks, Expression, Typed, bf16_from_float, bf16_to_float  # noqa: F401 (for the tests)

TOLERANCE = {"fp32": 2e-5, "fp16": 2e-3, "bf16": 1.6e-2}  # a few roundings of the result's type


def launch(*arguments, **options):
    """Runs a kernel under the checker, which must find nothing, and then again without it. No kernel here updates its inputs."""
    nereid_test.launch(*arguments, check=True, **options)
    nereid_test.launch(*arguments, **options)


def kernel_file(name):
    return os.path.join(HERE, name, name + ".py")


class Array:
    """An array of one of fp32, fp16 and bf16: what the kernel gets (`argument`) and its values as float64."""

    def __init__(self, values, dtype):
        values = np.asarray(values, np.float32)
        self.dtype = dtype
        self.data = bf16_from_float(values) if dtype == "bf16" else values.astype({"fp32": np.float32, "fp16": np.float16}[dtype])

    @property
    def argument(self):
        return Typed(self.data, "bf16") if self.dtype == "bf16" else self.data

    @property
    def values(self):
        return (bf16_to_float(self.data) if self.dtype == "bf16" else self.data).astype(np.float64)


def random_array(rng, shape, dtype, scale=1.0):
    return Array(rng.standard_normal(shape) * scale, dtype)


def empty_array(shape, dtype):
    """Filled with a number that no test expects."""
    return Array(np.full(shape, 12345.0), dtype)

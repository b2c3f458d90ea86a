"""oracle.py: what the oracle tests of the kernels share: the device, element types, random inputs.

    python3 kernels/softmax/softmax_oracle.py --device cpu

The device is the interpreter unless the argument or the variable NEREID_DEVICE names another one. A folder of kernels in another place has such a test
too, with this folder in its path (examples/llama/kernels/decode).
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "python"))

import numpy as np
import nereid_test
from nereid_test import Checks, Expression, Typed, bf16_from_float, bf16_to_float  # noqa: F401 (for the tests)

DTYPES = ("fp32", "fp16", "bf16")
TOLERANCE = {"fp32": 2e-5, "fp16": 2e-3, "bf16": 1.6e-2}  # a few roundings of the result's type
UNTOUCHED = 12345.0  # what outputs hold before a launch


def device():
    parser = argparse.ArgumentParser(description="Tests a library kernel against float64.")
    parser.add_argument("--device", default=os.environ.get("NEREID_DEVICE", "interp"), help="where to run (interp)")
    return parser.parse_known_args()[0].device


DEVICE = device()


def launch_once(*arguments, **options):
    """Runs a kernel."""
    on_device = {} if DEVICE == "interp" else {"device": DEVICE}
    nereid_test.launch(*arguments, **on_device, **options)


def launch(*arguments, **options):
    """Runs a kernel. On the interpreter it runs under the checker first, which must find nothing: no kernel updates its inputs."""
    if DEVICE == "interp":
        nereid_test.launch(*arguments, check=True, **options)
    launch_once(*arguments, **options)


def kernel_file(name, folders=HERE):
    """The kernels of a folder of the library, or of one in another place that has its form."""
    return os.path.join(folders, name, name + ".py")


def cdiv(a, b):
    return -(-a // b)


def power_of_two(n):
    """The smallest one that is not below n."""
    return 1 << max(n - 1, 0).bit_length()


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

    @property
    def untouched(self):
        """Which elements no launch has written."""
        return self.data == Array(UNTOUCHED, self.dtype).data


def random_array(rng, shape, dtype, scale=1.0):
    return Array(rng.standard_normal(shape) * scale, dtype)


def empty_array(shape, dtype):
    """Filled with a number that no test expects."""
    return Array(np.full(shape, UNTOUCHED), dtype)

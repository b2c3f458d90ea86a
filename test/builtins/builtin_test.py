"""builtin_test.py: one expression of the language, run on arrays of any element type, for comparison with numpy.

A test gives the lines that compute `r` (or r0, r1 …) from the loaded inputs a, b, c, d; the kernel around them loads with
a mask that does not end on a block, checks the type of the result at compile time, and stores it.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

import numpy as np
from nereid_test import (Checks, Descriptor, Expression, Module, NereidError, Typed, bf16_from_float,  # noqa: F401
                         bf16_to_float, fp8_from_float, fp8_table, fp8_to_float)

SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["fp16", "bf16", "fp32", "fp64"]
FP8 = ["fp8e4nv", "fp8e5", "fp8e4b15"]
NUMBERS = INTEGERS + FLOATS
NUMPY = {"int1": np.bool_, "fp16": np.float16, "fp32": np.float32, "fp64": np.float64} | {name: np.dtype(name).type for name in INTEGERS}
LANGUAGE = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "fp8e4nv": "float8e4nv",
            "fp8e5": "float8e5", "fp8e4b15": "float8e4b15"}
# Half a unit in the last place of each type, relative.
EPSILON = {"fp16": 2.0**-11, "bf16": 2.0**-8, "fp32": 2.0**-24, "fp64": 2.0**-53}
BLOCK, N = 64, 53


def tl(dtype):
    return "tl." + LANGUAGE.get(dtype, dtype)


class Data:
    """An array of an element type that numpy may not have."""

    def __init__(self, dtype, bits):
        self.dtype, self.bits = dtype, bits

    @property
    def argument(self):
        return self.bits if self.dtype in NUMPY else Typed(self.bits, self.dtype)

    @property
    def values(self):
        """Integers as they are, floats as float64."""
        if self.dtype == "bf16":
            return bf16_to_float(self.bits).astype(np.float64)
        if self.dtype.startswith("fp8"):
            return fp8_to_float(self.bits, self.dtype).astype(np.float64)
        return self.bits.astype(np.float64) if self.dtype.startswith("fp") else self.bits


def make(dtype, values):
    """Values rounded to the type."""
    if dtype == "bf16":
        return Data(dtype, bf16_from_float(np.asarray(values, np.float32)))
    if dtype.startswith("fp8"):
        return Data(dtype, fp8_from_float(np.asarray(values, np.float64), dtype))
    return Data(dtype, np.asarray(values).astype(NUMPY[dtype]))


def rounded(dtype, values):
    """What the values become when stored as the type."""
    return make(dtype, values).values


def random(rng, dtype, shape, low=-4.0, high=4.0):
    if dtype == "int1":
        return make(dtype, rng.integers(0, 2, shape))
    if dtype in INTEGERS:
        info = np.iinfo(NUMPY[dtype])
        return Data(dtype, rng.integers(info.min, info.max, shape, NUMPY[dtype], endpoint=True))
    return make(dtype, rng.uniform(low, high, shape))


HEADER = """import triton
import triton.language as tl
from triton.language.extra import libdevice

"""


def kernel_text(body, inputs, outputs, before=""):
    names = "abcdefgh"[:len(inputs)]
    results = ["r"] if len(outputs) == 1 else [f"r{i}" for i in range(len(outputs))]
    parameters = [f"{name}_ptr" for name in names] + [f"{name}_out" for name in results]
    lines = [f"def kernel({', '.join(parameters)}, n, BLOCK: tl.constexpr):", "offsets = tl.arange(0, BLOCK)", "inside = offsets < n"]
    lines += [f"{name} = tl.load({name}_ptr + offsets, mask=inside, other={'0.0' if each.dtype[0] in 'fb' else '0'})" for name, each in zip(names, inputs)]
    lines += body.strip("\n").split("\n")
    for name, dtype in zip(results, outputs):
        lines.append(f'tl.static_assert({name}.dtype == {tl(dtype)}, "the result should be {dtype}")')
        lines.append(f"tl.store({name}_out + offsets, {name}, mask=inside)")
    return HEADER + before + "\n@triton.jit\n" + "\n    ".join(lines) + "\n"


def evaluate(body, inputs, outputs, n=N, block=BLOCK, before="", **options):
    """Runs the lines on the inputs (Data of n elements); gives the values of the outputs (names of types)."""
    outputs = [outputs] if isinstance(outputs, str) else outputs
    module = Module(text=kernel_text(body, inputs, outputs, before), name="builtin.py")
    results = [make(dtype, np.full(n + 3, 1)) for dtype in outputs]
    module.launch("kernel", [each.argument for each in inputs] + [each.argument for each in results] + [n, block], **options)
    for result in results:
        assert (result.values[n:] == 1).all(), "written past the mask"
    values = [result.values[:n] for result in results]
    return values[0] if len(values) == 1 else values


def run_kernel(text, arguments, grid=(1, ), before="", **options):
    """Runs a whole kernel named `kernel` on Data and constants. Returns what it printed."""
    module = Module(text=HEADER + before + "\n@triton.jit\n" + text, name="builtin.py")
    return module.launch("kernel", [each.argument if isinstance(each, Data) else each for each in arguments], grid=grid, **options)


def expect_error(checks, what, body, inputs, outputs, message):
    """The lines must be refused with a message that contains the given text."""
    try:
        evaluate(body, inputs, outputs)
    except NereidError as error:
        return checks.expect(error.status == 2 and message in str(error), f"{what}: expected `{message}`, got: {error}")
    return checks.expect(False, f"{what}: accepted, expected an error with `{message}`")

"""arguments_oracle.py: scalars and tensors of every type reach a kernel unchanged, through the C interface."""
import numpy as np

from nereid_test import Checks, Module, NereidError, Typed, bf16_from_float, bf16_to_float, fp8_from_float, fp8_to_float

SOURCE = """
import triton
import triton.language as tl

@triton.jit
def copy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)

@triton.jit
def widen(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n).to(tl.float32), mask=i < n)

@triton.jit
def integer(value, out_ptr):
    tl.store(out_ptr, value)

@triton.jit
def wide(value: tl.int64, out_ptr):
    tl.store(out_ptr, value * 4)

@triton.jit
def real(value, out_ptr):
    tl.store(out_ptr, value)

@triton.jit
def half(value: tl.float16, out_ptr):
    tl.store(out_ptr, value.to(tl.float32))

@triton.jit
def say(value):
    tl.device_print("value", value)
"""


def copies(checks, module):
    random = np.random.default_rng(0)
    n = 100
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        info = np.iinfo(dtype)
        x = random.integers(info.min, info.max, n, dtype, endpoint=True)
        out = np.zeros(n, dtype)
        module.launch("copy", [x, out, n, 64], grid=(2,))
        checks.equal(out, x, f"copy of {x.dtype}")
    for dtype in (np.float16, np.float32, np.float64):
        x, out = random.standard_normal(n).astype(dtype), np.zeros(n, dtype)
        module.launch("copy", [x, out, n, 64], grid="cdiv(n, BLOCK)")
        checks.equal(out, x, f"copy of {x.dtype}")
    flags, out = random.integers(0, 2, n).astype(bool), np.zeros(n, bool)
    module.launch("copy", [flags, out, n, 64], grid=(2,))
    checks.equal(out, flags, "copy of bool")


def small_floats(checks, module):
    values = np.linspace(-1.5, 1.5, 64).astype(np.float32)
    bits, out = bf16_from_float(values), np.zeros(64, np.float32)
    module.launch("widen", [Typed(bits, "bf16"), out, 64, 64])
    checks.equal(out, bf16_to_float(bits), "bf16 to float32")
    for dtype in ("fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15"):
        bits, out = fp8_from_float(values, dtype), np.zeros(64, np.float32)
        module.launch("widen", [Typed(bits, dtype), out, 64, 64])
        checks.equal(out, fp8_to_float(bits, dtype), f"{dtype} to float32")


def scalars(checks, module):
    for value in (0, 1, -1, 16, 2**31 - 1, -2**31, 2**31, 2**62, -2**63):
        out = np.zeros(1, np.int64)
        module.launch("integer", [value, out])
        checks.equal(out[0], value, f"integer {value}")
    out = np.zeros(1, np.uint64)
    module.launch("integer", [2**64 - 1, out])
    checks.equal(out[0], np.uint64(2**64 - 1), "integer 2**64 - 1")
    out = np.zeros(1, np.int64)
    module.launch("wide", [2**31 - 1, out])
    checks.equal(out[0], (2**31 - 1) * 4, "an annotated int64 does not wrap")
    out = np.zeros(1, np.float64)
    module.launch("real", [0.1, out])
    checks.equal(out[0], np.float64(np.float32(0.1)), "a float argument is fp32")
    out = np.zeros(1, np.float32)
    module.launch("half", [0.1, out])
    checks.equal(out[0], np.float32(np.float16(0.1)), "an annotated float16 argument")
    checks.expect("7" in module.launch("say", [7]), "device_print of an argument")


def errors(checks, module):
    def fails(what, status, words, *arguments, **keywords):
        try:
            module.launch(*arguments, **keywords)
            checks.expect(False, f"{what}: no error")
        except NereidError as error:
            checks.expect(error.status == status and words in str(error), f"{what}: {error.status}, {error}")

    out = np.zeros(1, np.int64)
    fails("an unknown kernel", 2, "did you mean `integer`", "integre", [1, out])
    fails("a missing argument", 2, "no value is given for `out_ptr`", "integer", [1])
    fails("too many arguments", 2, "more are given", "integer", [1, out, 2])
    fails("a float for an int64", 2, "annotated int64", "wide", [1.5, out])
    fails("a huge grid", 2, "the largest is", "integer", [1, out], grid=(1 << 40,))
    fails("a negative grid", 2, "must not be negative", "integer", [1, out], grid=(-3,))
    fails("an access outside", 1, "kernel.py:8:", "copy", [np.zeros(4, np.int32), np.zeros(8, np.int32), 8, 8])


def main():
    checks = Checks()
    module = Module(text=SOURCE)
    for test in (copies, small_floats, scalars, errors):
        checks.run(test.__name__, test, checks, module)
    checks.exit()


main()

"""dtype_oracle.py: the predicates and attributes of every element type, held against a table of their definitions."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

import numpy as np
from nereid_test import Checks, Expression, Module

# name in tl: (short name, kind, bits, mantissa bits)
TYPES = {
    "int1": ("int1", "unsigned", 1, 0), "int8": ("int8", "signed", 8, 0), "int16": ("int16", "signed", 16, 0),
    "int32": ("int32", "signed", 32, 0), "int64": ("int64", "signed", 64, 0), "uint8": ("uint8", "unsigned", 8, 0),
    "uint16": ("uint16", "unsigned", 16, 0), "uint32": ("uint32", "unsigned", 32, 0), "uint64": ("uint64", "unsigned", 64, 0),
    "float8e5": ("fp8e5", "float", 8, 2), "float8e4nv": ("fp8e4nv", "float", 8, 3), "float8e4b8": ("fp8e4b8", "float", 8, 3),
    "float8e5b16": ("fp8e5b16", "float", 8, 2), "float8e4b15": ("fp8e4b15", "float", 8, 3), "float16": ("fp16", "float", 16, 10),
    "bfloat16": ("bf16", "float", 16, 7), "float32": ("fp32", "float", 32, 23), "float64": ("fp64", "float", 64, 52),
}
# A predicate is_NAME is true for the type of that name alone.
EXACT = ["is_int1", "is_int8", "is_int16", "is_int32", "is_int64", "is_uint8", "is_uint16", "is_uint32", "is_uint64", "is_fp8e5",
         "is_fp8e4nv", "is_fp8e4b8", "is_fp8e4b15", "is_fp16", "is_bf16", "is_fp32", "is_fp64"]
CLASSES = {
    "is_fp8": lambda name, kind, bits: name.startswith("fp8"),
    "is_floating": lambda name, kind, bits: kind == "float",
    "is_standard_floating": lambda name, kind, bits: kind == "float" and bits >= 16,
    "is_int_signed": lambda name, kind, bits: kind == "signed",
    "is_int_unsigned": lambda name, kind, bits: kind == "unsigned",
    "is_int": lambda name, kind, bits: kind != "float",
    "is_bool": lambda name, kind, bits: name == "int1",
    "is_ptr": lambda name, kind, bits: False,
}

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def predicate(out_ptr, DTYPE: tl.constexpr):
    if DTYPE.{predicate}():
        tl.store(out_ptr, 1)
    else:
        tl.store(out_ptr, 0)
"""
ATTRIBUTES = """
import triton
import triton.language as tl

@triton.jit
def attributes(out_ptr, DTYPE: tl.constexpr):
    tl.store(out_ptr, DTYPE.primitive_bitwidth)
    tl.store(out_ptr + 1, DTYPE.itemsize)
    if DTYPE.is_floating():
        tl.store(out_ptr + 2, DTYPE.fp_mantissa_width)
    else:
        tl.store(out_ptr + 2, 0)

@triton.jit
def shapes(out_ptr):
    x = tl.zeros((4, 8), tl.float32)
    tl.store(out_ptr, x.type.get_block_shapes()[0])
    tl.store(out_ptr + 1, x.type.get_block_shapes()[1])
    if x.type.is_block():
        tl.store(out_ptr + 2, 1)
"""


def check_predicate(checks, predicate, expected):
    module = Module(text=KERNEL.format(predicate=predicate))
    for spelling, (name, kind, bits, _) in TYPES.items():
        out = np.full(1, 7, np.int32)
        module.launch("predicate", [out, Expression(f"tl.{spelling}")])
        checks.expect(out[0] == int(expected(name, kind, bits)), f"tl.{spelling}.{predicate}() is {out[0]}")


def check_attributes(checks):
    module = Module(text=ATTRIBUTES)
    for spelling, (_, _, bits, mantissa) in TYPES.items():
        out = np.zeros(3, np.int32)
        module.launch("attributes", [out, Expression(f"tl.{spelling}")])
        checks.equal(out, np.array([bits, bits // 8, mantissa], np.int32), f"attributes of tl.{spelling}")
    out = np.zeros(3, np.int32)
    module.launch("shapes", [out])
    checks.equal(out, np.array([4, 8, 1], np.int32), "get_block_shapes and is_block")


def main():
    checks = Checks()
    for predicate in EXACT:
        checks.run(predicate, check_predicate, checks, predicate, lambda name, kind, bits: name == predicate[3:])
    for predicate, expected in CLASSES.items():
        checks.run(predicate, check_predicate, checks, predicate, expected)
    checks.run("attributes", check_attributes, checks)
    checks.exit()


main()

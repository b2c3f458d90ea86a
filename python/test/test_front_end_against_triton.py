"""bench/front_end_against_triton.py without Triton: which kernels it finds, what it takes their parameters for, and what it says of results."""
import json
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bench"))
import front_end_against_triton as bench  # noqa: E402
import guessed_arguments  # noqa: E402
import public_kernels  # noqa: E402

ADD = """
@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
"""


@pytest.mark.parametrize("name, text", [
    ("a.py", "import triton\n" + ADD),
    ("a.py", "import os\nSOURCE = '''import triton\n" + ADD + "'''\n"),
    ("a.md", "Text.\n\n  ```python\n" + ADD.replace("\n", "\n  ") + "\n  ```\nMore text.\n"),
    ("a.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": ["!pip install triton\n", "import triton\n"]}, {"cell_type": "code", "source": [ADD]},
                                      {"cell_type": "markdown", "source": ["no code"]}]})),
    ("a.json", json.dumps([{"answer": {"text": "So:\n```python\n" + ADD + "```\nIt adds."}}])),
    ("a.jsonl", json.dumps({"code": "import triton\n" + ADD}) + "\n" + json.dumps({"code": ""}) + "\n"),
])  # yapf: disable
def test_kernels_are_found_wherever_they_are(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    (kernel, ) = [each for each in public_kernels.Checkout(tmp_path).kernels() if each[1] == "add"]
    assert "@triton.jit\ndef add(x_ptr" in kernel[2] and "pip" not in kernel[2]


def test_a_module_has_what_the_kernel_names_and_runs_nothing(tmp_path):
    (tmp_path / "helpers.py").write_text("import triton\nLOG2E = tl.constexpr(1.44)\n@triton.jit\ndef exp(x):\n    return tl.exp2(x * LOG2E)\n")
    (tmp_path / "kernel.py").write_text("import triton\nimport torch, socket\nfrom .helpers import exp\nUNUSED = 1\nWIDTH = 4\nserve()\nDEVICE = triton.runtime.driver.active.get_current_target()\n"
                                        "@triton.autotune(configs(), key=[])\n@triton.jit(launch_metadata=describe)\ndef kernel(x):\n    tl.store(x, exp(WIDTH + DEVICE))\n")
    (kernel, ) = public_kernels.Checkout(tmp_path).kernels()
    text = kernel[2]
    assert all(each in text for each in ("WIDTH = 4", "LOG2E = tl.constexpr(1.44)", "def exp(x)", "@triton.jit()\ndef kernel"))
    assert not any(each in text for each in ("UNUSED", "serve", "socket", "driver", "autotune", "describe"))


def test_of_two_definitions_the_first_that_can_be_counts(tmp_path):
    (tmp_path / "kernel.py").write_text("import triton\ntry:\n    from triton.nowhere import LIMIT\nexcept ImportError:\n    LIMIT = 3\nif hasattr(tl, 'zeros'):\n    KIND = 1\nelse:\n    KIND = 2\n"
                                        "@triton.jit\ndef kernel(x):\n    tl.store(x, LIMIT + KIND)\n")
    ((_, _, text, _), ) = public_kernels.Checkout(tmp_path).kernels()
    found = {}
    exec(text.split("@triton.jit")[0].replace("import triton\nimport triton.language as tl", ""), found)
    assert found["LIMIT"] == 3 and found["KIND"] == 1


def test_a_kernel_is_found_once(tmp_path):
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("import triton\n" + ADD)
    assert len(list(public_kernels.Checkout(tmp_path).kernels())) == 1


def kinds(text, name="kernel", file_text=""):
    kernel = guessed_arguments.Kernel(name, text, file_text)
    return {each.name: each.kind if each.kind != "pointer" else f"pointer to {each.element}" for each in kernel.parameters.values()}


def test_kinds_follow_from_uses():
    text = """
@triton.jit
def inner(at, rows):
    return tl.load(at + rows)

@triton.jit
def kernel(X, Table, Out, flags, stride_xm, rows, eps, causal, p: tl.constexpr, T: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    at = X + row * stride_xm
    where = tl.load(Table + row)
    x = inner(at + where, tl.arange(0, B))
    bits = tl.load(flags + row) & 3
    if causal:
        x = x * eps
    for k in range(rows):
        x += k
    tl.store(Out + row, tl.sum(x).to(T) + bits)
"""
    assert kinds(text) == {"X": "pointer to real", "Table": "pointer to index", "Out": "pointer to real", "flags": "pointer to bits", "stride_xm": "stride", "rows": "size", "eps": "real",
                           "causal": "flag", "p": "constant", "T": "constant", "B": "constant"}  # yapf: disable


def test_variants_are_types_and_values():
    text = """
@triton.jit
def kernel(a_ptr, M, stride_am, stride_ak, T: tl.constexpr, MODE: tl.constexpr, IS_EVEN: tl.constexpr, BLOCK_M: tl.constexpr, N: tl.constexpr = 7):
    if MODE == "sum" or IS_EVEN:
        tl.store(a_ptr + tl.program_id(1) * stride_am, M.to(T))
"""
    kernel = guessed_arguments.Kernel("kernel", text, "kernel[grid](a, 5, 1, 1, BLOCK_M=128)\n")
    first, second, third = (guessed_arguments.variant(kernel, shape) for shape in guessed_arguments.SHAPES)
    assert first["signature"] == {"a_ptr": "*fp32", "M": "i32", "stride_am": "i32", "stride_ak": "i32", "T": "constexpr", "MODE": "constexpr", "IS_EVEN": "constexpr", "BLOCK_M": "constexpr",
                                  "N": "constexpr"}  # yapf: disable
    assert first["constants"] == {"T": {"dtype": "float32"}, "MODE": "sum", "IS_EVEN": True, "BLOCK_M": 32, "N": 7} and first["grid"] == [3, 2]
    assert first["values"] == {"M": 32, "stride_am": 32, "stride_ak": 1}
    assert second["signature"]["a_ptr"] == "*fp16" and second["constants"]["IS_EVEN"] is False and second["constants"]["BLOCK_M"] == 16
    assert third["constants"]["BLOCK_M"] == 128  # the launch says so


def test_operands_of_a_product_are_halves_beside_floats():
    text = "@triton.jit\ndef kernel(a, b, c, B: tl.constexpr):\n    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]\n    x = tl.load(a + i)\n    tl.store(c + i, tl.dot(x, tl.load(b + i)))\n"
    second = guessed_arguments.variant(guessed_arguments.Kernel("kernel", text), guessed_arguments.SHAPES[1])
    assert second["signature"] == {"a": "*fp16", "b": "*fp16", "c": "*fp32", "B": "constexpr"}


@pytest.mark.parametrize("names, expected", [
    (["stride_am", "stride_ak", "stride_bk", "stride_bn"], [8, 1, 8, 1]),
    (["stride_qb", "stride_qh", "stride_qn"], [512, 64, 8]),
    (["stride_oz", "stride_oh", "stride_om", "stride_on"], [512, 64, 8, 1]),
    (["x_row_stride", "y_row_stride"], [8, 8]),
    (["stride_x_b", "stride_x_m", "stride_0", "stride_1"], [8, 1, 8, 1]),
    (["stride_xb", "stride_xci", "stride_xw", "stride_wco"], [64, 8, 1, 8]),
    (["stride_b", "stride_h", "stride_m"], [512, 64, 8]),
])  # yapf: disable
def test_strides_are_those_of_dense_tensors(names, expected):
    assert [guessed_arguments.stride_values(names, 8)[name] for name in names] == expected


def test_what_is_said_of_a_variant():
    case = {"signature": {"x": "*fp32"}, "constants": {}}
    row = {"theirs": None, "ours": None, "case": case}
    assert bench.verdicts({**row, "theirs": "a", "ours": "b"}) == [("both refuse", None)]
    assert bench.verdicts({**row, "theirs": "a"}) == [("ours alone takes", "a")]
    assert bench.verdicts({**row, "ours": "b", "theirs, whole": None}) == [("OURS ALONE REFUSES", "b")]
    assert bench.verdicts({**row, "ours": "b", "theirs, whole": "c"}) == [("Triton's later stages refuse too", "b")]
    launches = {"check": {}, "processor": {"distance": 0.5}, "gpu": {"distance": 1e-3}, "interpreter": {"error": "gone"}}
    assert bench.verdicts({**row, "launches": launches}) == [("both take", None), ("OTHER VALUES: processor", "distance 0.5"), ("fails: interpreter", "gone"), ("same values: gpu", None)]
    assert bench.verdicts({**row, "launches": {"check": {}, "gpu": {"error": "no result after 20 s"}}}) == [("both take", None), ("took too long: gpu", None)]
    assert bench.verdicts({**row, "launches": {"check": {"error": "outside"}}}) == [("both take", None), ("stopped by the sanitizer", "outside")]


def test_reasons_are_counted_without_names():
    ours = "CompilationError: /a/kernel.py:76:13: error: `load` needs a pointer, got i32[32, 32]\n            k + n\n            ^~~~~\nnote: so"
    assert bench.reason(ours) == bench.reason(ours.replace("76:13", "5:1").replace("`load`", "`store`")) != bench.reason("no result after 60 s")

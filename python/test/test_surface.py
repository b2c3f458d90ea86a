"""The names of Triton that public programs use stay, with their keywords; what cannot be here says what to do instead.

triton_names.txt is written by `scripts/triton-surface --names` from torch, vLLM, FlagGems, fla, Liger, mamba, unsloth, xformers,
torchao, sglang, TritonBench and Triton's own tests and tutorials.
"""
import importlib
import os
import sys

import numpy as np
import pytest

import triton
import triton.language as tl

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "scripts"))

from triton_names import missing  # noqa: E402
from triton_uses import uses_of  # noqa: E402

with open(os.path.join(HERE, "triton_names.txt")) as file:
    NAMES = file.read().split("\n")[:-1]


def test_names_that_programs_use():
    assert len(NAMES) > 950 and NAMES == sorted(set(NAMES))
    assert [name for name in NAMES if missing(name) is not None] == []


def test_a_name_that_is_not_there_is_found_out():
    assert missing("triton.language.dot") is None and missing("triton.language.dot(allow_tf32=)") is None
    assert missing("triton.language.dott") == "triton.language.dott"
    assert missing("triton.language.dot(allow_tf33=)") == "triton.language.dot(allow_tf33=)"
    assert missing("triton.runtime.nothing.inside") == "triton.runtime.nothing"
    assert missing("triton._C.libtriton.llvm.context") == "triton._C.libtriton.llvm.context (refused)"


def test_uses_of_a_file(tmp_path):
    path = tmp_path / "program.py"
    path.write_text('''import triton.language as tl
from triton.runtime import driver as d
import numpy as np
block = tl.block_type
target = d.active.get_current_target()
if hasattr(tl, "make_tensor_descriptor"):
    tl.dot(np.ones(3), x, allow_tf32=True, _semantic=None)
block(tl.float32, [1]).is_block()
TEMPLATE = """
    from triton_other import nothing
    tmp = tl.sum(x, 1)
"""
''')
    found = {(use.name, use.line) for use in uses_of(str(path))}
    assert found == {
        ("triton.language", 1), ("triton.runtime.driver", 2), ("triton.language.block_type", 4),
        ("triton.runtime.driver.active.get_current_target", 5), ("triton.language.make_tensor_descriptor", 6),
        ("triton.language.dot", 7), ("triton.language.dot(allow_tf32=)", 7), ("triton.language.float32", 8),
        ("triton.language.sum", 11)}  # yapf: disable


@pytest.mark.parametrize("module, advice", [
    ("triton._C.libtriton.passes", "triton.compile"), ("triton._C.libtriton.llvm", "triton.compile"),
    ("triton._C.libtriton.amd", "AMD"), ("triton.experimental.gluon.language.amd.cdna3", "triton.jit"),
    ("triton.tools.triton_to_gluon_translater.translator", "Gluon")])  # yapf: disable
def test_modules_that_are_not_here(module, advice):
    imported = importlib.import_module(module)
    assert not hasattr(imported, "context") and getattr(imported, "builder", None) is None
    with pytest.raises(AttributeError, match=f"does not exist in nereid: .*{advice}"):
        imported.context()
    with pytest.raises(ImportError):
        importlib.import_module(f"{module}.inside")


class Tensor:
    dtype = np.dtype("float32")

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address


@pytest.mark.parametrize("value, expected", [
    (None, ("constexpr", None)), (True, ("u1", None)), (1, ("constexpr", 1)), (16, ("i32", "D")), (17, ("i32", "")),
    (2**31, ("i64", "D")), (2**63, ("u64", "D")), (-2**40, ("i64", "D")), (0.5, ("fp32", None)), (Tensor(32), ("*fp32", "D")),
    (Tensor(4), ("*fp32", "")), ((1, 0.5), (("constexpr", "fp32"), (1, None)))])  # yapf: disable
def test_specialization_of_an_argument(value, expected):
    from triton._C.libtriton import native_specialize_impl
    from triton.backends import BaseBackend
    assert native_specialize_impl(BaseBackend, value, False, True, True) == expected


def test_specialization_of_constants_and_strangers():
    from triton.backends import BaseBackend
    from triton.runtime.jit import native_specialize_impl
    constant = tl.constexpr(3)
    assert native_specialize_impl(BaseBackend, constant, False, True, True) == ("constexpr", constant)
    assert native_specialize_impl(BaseBackend, 1, False, False, True) == ("i32", None)
    assert native_specialize_impl(BaseBackend, Tensor(16), True, False, True) == ("*kfp32", None)
    with pytest.raises(TypeError, match="Unsupported type"):
        native_specialize_impl(BaseBackend, object(), False, True, True)


def test_description_of_a_compilation_can_be_replaced(monkeypatch, fresh_cache):
    from triton.runtime import jit

    @triton.jit
    def fill(x, n: tl.constexpr):
        tl.store(x + tl.arange(0, n), 1.0)

    original, told = jit.serialize_specialization_data, []
    monkeypatch.setattr(jit, "serialize_specialization_data", lambda *args: "replaced", raising=False)
    monkeypatch.setattr(triton.knobs.runtime, "jit_post_compile_hook", lambda **about: told.append(about["compile"]["specialization_data"]))
    fill[(1, )](np.zeros(8, "float32"), 8)
    assert told == ["replaced"] and '"name": "f"' in original("f", {}, {}, {}, {}, "key")


def test_variables_of_knobs(monkeypatch):
    assert triton.knobs.toenv(True) == ("1", ) and triton.knobs.toenv(None) == (None, ) and triton.knobs.toenv(1.5) is None
    triton.knobs.setenv("NEREID_TEST_VARIABLE", "x")
    assert os.environ["NEREID_TEST_VARIABLE"] == "x"
    triton.knobs.setenv("NEREID_TEST_VARIABLE", None)
    assert "NEREID_TEST_VARIABLE" not in os.environ


def test_functions_of_cuda_in_the_modules_of_triton():
    from triton.language.extra.cuda.gdc import gdc_wait
    from triton.language.extra.cuda.utils import smid
    assert gdc_wait is tl.extra.cuda.gdc_wait and smid is tl.extra.cuda.smid

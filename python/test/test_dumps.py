"""MLIR_ENABLE_DUMP, LLVM_IR_ENABLE_DUMP and NVPTX_ENABLE_DUMP, which people set to see what is made of a kernel."""
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@pytest.fixture(autouse=True)
def fresh_cache(monkeypatch, tmp_path):
    for name in ("NEREID_CACHE_DIR", "TRITON_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


def add_one():
    @triton.jit
    def add_one(x, SIZE: tl.constexpr):
        offsets = tl.arange(0, SIZE)
        tl.store(x + offsets, tl.load(x + offsets) + 1)

    return add_one


def compiled(fn):
    source = triton.compiler.ASTSource(fn, {"x": "*fp32", "SIZE": "constexpr"}, {"SIZE": 64})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))


@pytest.mark.parametrize("value, shows", (("1", True), ("add_one", True), ("add_two", False), ("0", False), ("", False)))
def test_ir_of_a_launch(monkeypatch, capfd, value, shows):
    monkeypatch.setenv("MLIR_ENABLE_DUMP", value)
    add_one()[(1, )](np.zeros(64, np.float32), SIZE=64)
    printed = capfd.readouterr().err
    assert ("IR Dump Before" in printed) == ("tt.func public @add_one" in printed) == shows
    assert "define void" not in printed


def test_ir_and_ptx_of_what_is_compiled(monkeypatch, capfd):
    for name in ("MLIR_ENABLE_DUMP", "LLVM_IR_ENABLE_DUMP", "NVPTX_ENABLE_DUMP"):
        monkeypatch.setenv(name, "1")
    kernel = compiled(add_one())
    printed = capfd.readouterr()
    assert all(kernel.asm[stage] in printed.err for stage in ("ttir", "ttgir", "llir"))
    assert "// -----// NVPTX Dump //----- //\n" + kernel.asm["ptx"] in printed.out
    compiled(add_one())  # it is in the cache now
    assert capfd.readouterr() == printed


@triton.jit
def product(a, b, c, ROWS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS)[:, None], tl.arange(0, 64)[None, :]
    x = tl.load(a + rows * 64 + columns)
    y = tl.load(b + tl.arange(0, 64)[:, None] * 64 + columns)
    tl.store(c + rows * 64 + columns, tl.dot(x, y))


@pytest.mark.parametrize("value, rows, shows", (("remarks", 32, True), ("remarks,operations", 32, True), ("remarks", 64, False), ("", 32, False)))
def test_remarks(monkeypatch, capfd, value, rows, shows):
    monkeypatch.setenv("MLIR_ENABLE_DIAGNOSTICS", value)
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "ROWS": "constexpr"}
    triton.compile(triton.compiler.ASTSource(product, signature, {"ROWS": rows}), target=GPUTarget("cuda", 90, 32))
    assert (f"{__file__}:54:39: remark: this product does not use wgmma" in capfd.readouterr().err) == shows

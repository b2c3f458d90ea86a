"""`import triton_viz` where triton-viz is not installed, as notebooks of puzzles use it."""
import importlib.util
import sys

import numpy as np
import pytest

import triton
import triton.language as tl

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton_viz").loader.__name__ != "VisualizerFinder", reason="triton-viz is installed")


@triton.jit
def add_ten(x_ptr, z_ptr, n, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < (n if MASKED else n + BLOCK)
    tl.store(z_ptr + i, tl.load(x_ptr + i, mask=mask) + 10.0, mask=mask)


@triton.jit
def prints(x_ptr):
    i = tl.arange(0, 4)
    print(i)
    print(tl.load(x_ptr + i))


def test_a_right_kernel_has_no_findings(capsys):
    import triton_viz
    from triton_viz.interpreter import record_builder
    triton_viz.interpreter.record_builder.reset()
    x, z = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    triton_viz.trace(add_ten)[lambda meta: (triton.cdiv(20, meta["BLOCK"]), )](x, z, 20, BLOCK=8, MASKED=True)
    assert (z == x + 10).all()
    assert triton_viz.launch() == "" and record_builder.found == ""
    assert capsys.readouterr().out == ""


def test_an_access_outside_is_found_and_said(capsys):
    import triton_viz
    x, z = np.arange(20, dtype=np.float32), np.zeros(20, np.float32)
    triton_viz.trace(add_ten)[(3, )](x, z, 20, BLOCK=8, MASKED=False)
    found = triton_viz.launch(share=False)
    assert "out-of-bounds" in found and "x_ptr" in found
    assert found in capsys.readouterr().out


def test_print_shows_values_as_python_does(capsys):
    import triton_viz
    triton_viz.trace(prints)[(1, )](np.ones(4, np.float32))
    assert triton_viz.launch() == ""
    assert capsys.readouterr().out == "[0 1 2 3]\n[1. 1. 1. 1.]\n"


def test_nothing_was_traced():
    import triton_viz
    triton_viz.interpreter.record_builder.reset()
    with pytest.raises(RuntimeError, match="nothing was traced"):
        triton_viz.launch()


def test_an_installed_one_comes_first(tmp_path, monkeypatch):
    (tmp_path / "triton_viz.py").write_text("mine = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("triton_viz", "triton_viz.interpreter"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import triton_viz
    assert triton_viz.mine
    monkeypatch.delitem(sys.modules, "triton_viz")

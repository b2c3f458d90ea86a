"""Extents of tiles: powers of two as in Triton, unless a launch or a knob asks for any."""
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def double(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) * 2)


@triton.jit
def fill(block):
    block.store([4, 0], tl.full((4, 24), 3.0, tl.float32))


def test_strict():
    x = np.ones(96, np.float32)
    with pytest.raises(triton.CompilationError, match="range must be a power of 2"):
        double[(1, )](x, 96)
    assert (x == 1).all()


def test_launch_option():
    x = np.ones(100, np.float32)
    double[(1, )](x, 96, any_extent=True)
    assert (x[:96] == 2).all() and (x[96:] == 1).all()
    with pytest.raises(triton.CompilationError, match="range must be a power of 2"):
        double[(1, )](x, 96)


def test_knob(monkeypatch):
    x = np.zeros(8 * 24 + 4, np.float32)
    x = x[-x.ctypes.data // 4 % 4:][:8 * 24].reshape(8, 24)
    with pytest.raises(ValueError, match="power of 2"):
        TensorDescriptor.from_tensor(x, [4, 24])
    monkeypatch.setattr(triton.knobs.language, "any_extent", True)
    fill[(1, )](TensorDescriptor.from_tensor(x, [4, 24]))
    assert (x[4:] == 3).all() and (x[:4] == 0).all()
    y = np.ones(48, np.float32)
    double[(1, )](y, 48)
    assert (y == 2).all()

"""Wrong use raises the class that Triton raises, and says what to do."""
import numpy as np
import pytest

import triton
import triton.language as tl


@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


@pytest.fixture
def x():
    return np.zeros(4, np.float32)


def test_without_a_grid(x):
    with pytest.raises(RuntimeError, match=r"fill\[grid\]"):
        fill(x, 1, 4)


def test_unknown_keyword(x):
    with pytest.raises(KeyError, match="Keyword argument colour was specified but unrecognised"):
        fill[(1, )](x, 1, BLOCK=4, colour=3)


def test_number_of_arguments(x):
    with pytest.raises(TypeError, match="missing 1 required argument: 'BLOCK'"):
        fill[(1, )](x, 1)
    with pytest.raises(TypeError, match="takes 3 positional arguments but 4 were given"):
        fill[(1, )](x, 1, 4, 5)
    with pytest.raises(TypeError, match="multiple values for argument 'BLOCK'"):
        fill[(1, )](x, 1, 4, BLOCK=4)


@pytest.mark.parametrize("value", [object(), "text", b"bytes", {}, {1}, len, lambda: 1], ids=lambda value: type(value).__name__)
def test_type_of_an_argument(value):
    with pytest.raises(TypeError, match="failed to specialize argument of type: .* `x: tl.constexpr`"):
        fill[(1, )](value, 1, 4)


def test_type_of_elements(x):
    with pytest.raises(TypeError, match="convert it to one of the types"):
        fill[(1, )](np.array([None]), 1, 4)
    torch = pytest.importorskip("torch")
    with pytest.raises(KeyError, match="torch.complex64"):
        fill[(1, )](torch.zeros(4, dtype=torch.complex64), 1, 4)


def test_size_of_an_integer(x):
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        fill[(1, )](x, 2**70, 4)


@pytest.mark.parametrize("grid, error", [((1, 1, 1, 2), ValueError), ((-1, ), ValueError), ((1.5, ), TypeError), (None, TypeError),
                                         ((), ValueError), (b"ab", TypeError), ("ab", TypeError), ((2**31, ), ValueError),
                                         ((1, 65536), ValueError), ((2**31 - 1, 2), ValueError), ((2**70, ), ValueError),
                                         ((40000, 40000, 2), ValueError)])  # yapf: disable
def test_grid(x, grid, error):
    from nereid import _native
    with pytest.raises(error):
        fill[grid](x, 1, 4)
    with pytest.raises(error):
        _native.grid_extents(grid)  # of kernels that run as Python
    with pytest.raises(error):
        fill[lambda meta: grid](x, 1, 4)


def test_grid_filled_up_with_ones(x):
    fill[(1, 1, 1, 1, 1)](x, 7, 4)
    assert (x[:4] == 7).all()


def test_grid_says_what_to_write(x):
    for grid in ((4 / 2, ), lambda meta: (meta["n"] / 2, )):
        with pytest.raises(TypeError, match=r"extent 0 of the grid is .*, which is no integer: write `triton.cdiv\(n, BLOCK\)`"):
            fill[grid](x, 1, 4)
    for grid in (None, "1", lambda meta: None):
        with pytest.raises(TypeError, match="a grid is a tuple of one to three integers, or a function that gives one"):
            fill[grid](x, 1, 4)


def test_options(x):
    with pytest.raises(KeyError, match="did you mean `BLOCK`"):
        fill[(1, )](x, 1, BLOK=4)
    with pytest.raises(KeyError, match="did you mean `num_warps`"):
        fill[(1, )](x, 1, BLOCK=4, num_warp=4)
    with pytest.raises(TypeError, match="num_warps must be an integer, got '4'"):
        fill[(1, )](x, 1, BLOCK=4, num_warps="4")


def test_tensor_of_another_device():
    torch = pytest.importorskip("torch")
    meta = torch.zeros(4, device="meta")
    fill.warmup(meta, 1, 4, grid=(1, ))  # only compiles
    for argument in (meta, triton.reinterpret(meta, tl.int32)):
        with pytest.raises(ValueError, match="cannot be accessed from Triton"):
            fill[(1, )](argument, 1, 4)


@triton.jit
def first_of(pair):
    tl.store(pair[0], 1)


def test_tensor_of_another_device_in_a_tuple():
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match="cannot be accessed from Triton"):
        first_of[(1, )]((torch.zeros(4, device="meta"), 3))


def test_order_of_decorators():
    for decorator in (triton.autotune([triton.Config({})], key=[]), triton.heuristics({})):
        with pytest.raises(TypeError, match="`test_order_of_decorators` is not a kernel: write `@triton.jit` between"):
            decorator(test_order_of_decorators)
        with pytest.raises(TypeError, match="`@triton.jit` stands right above `def`, below the other decorators"):
            triton.jit(decorator(fill))
    with pytest.raises(TypeError, match="`@triton.jit` takes a function; got 'text'"):
        triton.jit("text")


@pytest.mark.parametrize("grid", [(1, 1, 1, 2), (), (-1, ), (2**31, ), (1, 65536), (2**31 - 1, 2)])
def test_grid_of_compiled_code(x, grid, tmp_path, monkeypatch):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    monkeypatch.setattr(triton.knobs.cache, "dir", str(tmp_path))
    source = ASTSource(fill, {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 4})
    kernel = triton.compile(source, GPUTarget("cpu", "native", 1))
    with pytest.raises(ValueError, match="grid"):
        kernel[grid](x, 1, 4)
    kernel[(1, )](x, 1, 4)
    assert (x == 1).all()

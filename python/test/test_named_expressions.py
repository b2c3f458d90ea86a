"""`:=` in kernels, and names that are annotated as constexpr before they are assigned."""
import numpy as np
import pytest
import triton
import triton.language as tl


@triton.constexpr_function
def doubled(n):
    return 2 * n


@triton.jit
def named(x, out, n, B: tl.constexpr):
    if (size := doubled(B)) != 8:
        i = tl.arange(0, B)
    else:
        i = 4 - tl.arange(0, B)
    total = tl.zeros([B], tl.float32)
    row, odd = total, 0
    for k in range(n):
        total = (row := tl.load(x + k * B + i)) * 2 + total + (k if (odd := k % 2) else -k)
    tl.store(out + i, total + row * (last := n - 1) + odd + last * size)


@triton.jit
def promised(out, shape: tl.constexpr):
    rows: tl.constexpr
    columns: tl.constexpr
    rows, columns = shape
    tl.static_assert(rows * columns == 32)
    half: tl.constexpr
    half, plain = columns // 2, columns
    tl.static_assert(half == 4)
    tl.static_assert(plain.dtype == tl.int32)
    pair: tl.constexpr
    pair, other = (half, (rows, columns)), 1
    tl.static_assert(pair[1] == (4, 8))
    tile = tl.full((rows, columns), half * 10 + plain, tl.int32)
    tl.store(out + tl.arange(0, rows * columns), tile.reshape(rows * columns) + other)


@pytest.fixture(params=("cpu", "interp"), autouse=True)
def device(request, monkeypatch):
    monkeypatch.setenv("NEREID_DEVICE", request.param)


def test_a_name_is_bound_where_it_is_read_later():
    x, out = np.random.RandomState(0).randn(5, 8).astype(np.float32), np.zeros(8, np.float32)
    named[(1, )](x, out, 5, 8)
    np.testing.assert_allclose(out, 2 * x.sum(0) + (1 + 3 - 0 - 2 - 4) + x[4] * 4 + 0 + 4 * 16, rtol=1e-5)


def test_a_name_that_was_annotated_takes_constants():
    out = np.zeros(32, np.int32)
    promised[(1, )](out, (4, 8))
    assert out.tolist() == [49] * 32


def test_a_comprehension_leaves_out_items():

    @triton.jit
    def kernel(out):
        kept: tl.constexpr = [x for x in (0, 1, 2, 3, 4, 5) if x > 1 if x % 2 == 0]
        tl.store(out, kept[0] * 10 + kept[1] + 100 * len(kept))

    out = np.zeros(1, np.int32)
    kernel[(1, )](out)
    assert out.tolist() == [224]


@pytest.mark.parametrize("place", ("while (n := n - 1) > 0:\n        tl.store(out, n)", "y = (x := 3) if n > 1 else 4",
                                   "t: tl.constexpr = [(x := i) for i in (1, 2)]"))
def test_a_name_that_may_not_be_bound_is_refused(place, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(f"import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(out, n):\n    {place}\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    with pytest.raises(triton.CompilationError, match="`:=` is not supported in"):
        space["kernel"][(1, )](np.zeros(1, np.int32), 5)

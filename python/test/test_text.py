"""The texts of `.asm`, and what the CPU's own transforms make of a kernel."""
import numpy as np
import pytest

import triton
import triton.language as tl


@triton.jit
def fold_rows(x, out, n, KIND: tl.constexpr, FIRST: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    value = tl.full([ROWS], FIRST, x.dtype.element_ty)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        tile = tl.load(x + rows[:, None] * n + columns[None, :])
        if KIND == "sum":
            value += tl.sum(tile, axis=1)
        elif KIND == "max":
            value = tl.maximum(tl.max(tile, axis=1), value)
        elif KIND == "min":
            value = tl.minimum(value, tl.min(tile, axis=1))
        else:
            value = value ^ tl.xor_sum(tile, axis=1)
    tl.store(out + rows, value)


KINDS = {"sum": (np.add, 3), "max": (np.maximum, 1), "min": (np.minimum, -1), "xor": (np.bitwise_xor, 7)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("rows, block", [(8, 32), (1, 64), (4, 256)])
def test_partial_reductions(kind, dtype, rows, block):
    if kind == "xor" and dtype.startswith("float"):
        return
    combine, first = KINDS[kind]
    x = np.random.default_rng(0).integers(-99, 99, (rows, 512)).astype(dtype)
    out = np.zeros(rows, dtype)
    compiled = fold_rows[(1, )](x, out, 512, kind, first, rows, block)
    np.testing.assert_array_equal(out, combine(combine.reduce(x, axis=1), np.asarray(first, dtype)))
    # One across the strips of a row in the loop, one of the lanes behind it.
    assert compiled.asm["ttir"].count('"tt.reduce"(') == 1
    assert compiled.asm["ttgir"].count('"tt.reduce"(') == 2


@triton.jit
def span_of_rows(x, out, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, ROWS)
    low = tl.full([ROWS], float("inf"), tl.float32)
    high = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        tile = tl.load(x + rows[:, None] * n + columns[None, :])
        low = tl.minimum(low, tl.min(tile, axis=1))
        high = tl.maximum(high, tl.max(tile, axis=1))
        total += tl.sum(tile, axis=1)
    tl.store(out + rows, low)
    tl.store(out + ROWS + rows, high)
    tl.store(out + 2 * ROWS + rows, total)


def test_several_partial_reductions_of_one_tile():
    x = np.random.default_rng(1).integers(-99, 99, (8, 512)).astype("float32")
    out = np.zeros((3, 8), "float32")
    compiled = span_of_rows[(1, )](x, out, 512, 8, 64)
    np.testing.assert_array_equal(out, [x.min(1), x.max(1), x.sum(1)])
    assert compiled.asm["ttgir"].count('"tt.reduce"(') == 6


def test_partial_reductions_without_a_turn_and_with_nan():
    out = np.zeros(8, "float32")
    x = np.ones((8, 64), "float32")
    fold_rows[(1, )](x, out, 0, "sum", 5.0, 8, 32)
    np.testing.assert_array_equal(out, 5.0)
    fold_rows[(1, )](x, out, 0, "max", 5.0, 8, 32)
    np.testing.assert_array_equal(out, 5.0)
    x[2, 40] = np.nan
    fold_rows[(1, )](x, out, 64, "max", -5.0, 8, 32)
    np.testing.assert_array_equal(out, 1.0)


@triton.jit
def bounded(out, n, BLOCK: tl.constexpr):
    left = n - tl.program_id(0) * BLOCK
    tl.assume(left >= BLOCK)
    if left >= BLOCK:
        tl.store(out + tl.program_id(0), left)
    else:
        tl.store(out + tl.program_id(0), -left)


def test_assume():
    out = np.zeros(8, "int32")
    compiled = bounded[(8, )](out, 1024, 128)
    np.testing.assert_array_equal(out, 1024 - 128 * np.arange(8))
    assert "llvm.intr.assume" in compiled.asm["ttgir"] and "llvm.assume" in compiled.asm["llir"]


def test_names_of_ops():
    compiled = fold_rows.warmup(np.ones((8, 64), "float32"), np.ones(8, "float32"), 64, "sum", 0.0, 8, 32, grid=(1, ))
    text = compiled.asm["ttir"]
    assert list(compiled.asm) == ["ttir", "ttgir", "llir", "asm"]
    for name in ("tt.func public @fold_rows", "!tt.ptr<f32>", "tt.divisibility", "tt.make_range", "tt.load", "tt.reduce.return", "scf.for"):
        assert name in text
    assert "tile." not in text


@triton.jit
def many_ops(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0.0, eviction_policy="evict_last")
    value = tl.dot(tl.reshape(value, (16, BLOCK // 16)), tl.trans(tl.reshape(value, (16, BLOCK // 16))), input_precision="tf32")
    tl.atomic_add(out + tl.arange(0, 16), tl.sum(value, 1), sem="relaxed")
    tl.device_print("sum", n)


def test_ops_are_written_as_triton_writes_them():
    text = many_ops.warmup(np.ones(512, "float32"), np.ones(16, "float32"), 512, 256, grid=(1, )).asm["ttir"]
    for line in ("%n: i32 {tt.divisibility = 16 : i32} loc(\"n\"(#loc",
                 "%0 = tt.get_program_id y : i32 loc(#loc",
                 "tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32> loc(",
                 "tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>",
                 " evictionPolicy = evict_last : tensor<256x!tt.ptr<f32>> loc(",
                 "{order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>",
                 ", inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>",
                 "tt.atomic_rmw fadd, relaxed, gpu, %",
                 'tt.print " sum: " {hex = false, isSigned = array<i32: 1>} : %n : i32',
                 "tt.reduce.return %", "tt.return loc(", "test_text.py\":"):  # yapf: disable
        assert line in text, line


@triton.jit
def one_store(out):
    tl.store(out, 1.0)


def test_a_last_store_has_a_location_of_its_own():
    """Programs follow the name of the location that a store has to its line in the file."""
    lines = one_store.warmup(np.ones(1, "float32"), grid=(1, )).asm["ttir"].splitlines()
    store = next(line for line in lines if "tt.store" in line)
    location = store.rsplit("loc(", 1)[1].rstrip(")")
    others = [line for line in lines if line != store and (location + ")" in line or line.startswith(location + " "))]
    assert len(others) == 1 and "test_text.py\":" in others[0], lines

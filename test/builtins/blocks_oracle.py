"""Products of blocks that tensor descriptors name, on numbers whose sums are exact: equal, not close. On a GPU blocks come and go
by TMA where rows are multiples of 16 bytes, with a warp of its own that asks for them in loops over tiles."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kernels"))
from oracle import Checks, Expression, Typed, bf16_from_float, bf16_to_float, cdiv, launch_once, np  # noqa: E402
from nereid_test import Descriptor, fp8_from_float, fp8_to_float  # noqa: E402

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blocks.py")
checks = Checks()
rng = np.random.default_rng(5)
OUT = {"fp16": "fp16", "bf16": "bf16", "fp32": "fp32", "fp8e4nv": "fp16", "fp8e5": "fp16", "int8": "int32"}
NAMES = {"fp16": "tl.float16", "bf16": "tl.bfloat16", "fp32": "tl.float32", "int32": "tl.int32"}


def typed(values, dtype):
    """The array that a kernel gets."""
    if dtype == "bf16":
        return Typed(bf16_from_float(values.astype(np.float32)), "bf16")
    if dtype.startswith("fp8"):
        return Typed(fp8_from_float(values, dtype), dtype)
    return np.ascontiguousarray(values).astype({"fp16": np.float16, "fp32": np.float32, "int8": np.int8, "int32": np.int32}[dtype])


def values_of(array):
    if isinstance(array, Typed):
        return bf16_to_float(array.array) if array.dtype == "bf16" else fp8_to_float(array.array, array.dtype)
    return array


def numbers(*shape):
    """Small whole numbers: products of 300 of them are exact in bf16's sums too, after rounding both alike."""
    return rng.integers(-2, 3, shape)


def rounded(expected, dtype):
    return values_of(typed(expected, dtype))


def test_one_tile(M, N, K, dtype, kn, block, warps, stages, specialize):
    a, b = numbers(M, K), numbers(K, N)
    out, (bm, bn, bk) = OUT[dtype], block
    c = typed(np.full((M, N), 77), out)
    left, right = typed(a, dtype), typed(b if kn else b.T, dtype)
    launch_once(FILE, "one_tile",
                {"a": Descriptor(left, (bm, bk)), "b": Descriptor(right, (bk, bn) if kn else (bn, bk)), "c": Descriptor(c, (bm, bn)), "K": K,
                 "KN": kn, "OUT": Expression(NAMES[out]), "BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "SPECIALIZE": specialize,
                 "PRECISION": "tf32"}, grid=(cdiv(M, bm), cdiv(N, bn)), num_warps=warps, num_stages=stages)
    checks.expect((values_of(c) == rounded(a @ b, out)).all(),
                  f"one_tile {M}x{N}x{K} {dtype} kn={kn} {block} warps={warps} stages={stages} specialize={specialize}")


def test_many_tiles(M, N, K, dtype, kn, block, warps, stages, how, programs):
    a, b = numbers(M, K), numbers(K, N)
    out, (bm, bn, bk) = OUT[dtype], block
    c = typed(np.full((N, M) if how == "transposed" else (M, N), 77), out)
    launch_once(FILE, "many_tiles",
                {"a_ptr": typed(a, dtype), "b_ptr": typed(b if kn else b.T, dtype), "c_ptr": c, "M": M, "N": N, "K": K, "KN": kn,
                 "OUT": Expression(NAMES[out]), "BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "HOW": how, "PRECISION": "tf32"},
                grid=(programs, ), num_warps=warps, num_stages=stages)
    expected = rounded(a @ b, out)
    checks.expect((values_of(c) == (expected.T if how == "transposed" else expected)).all(),
                  f"many_tiles {M}x{N}x{K} {dtype} kn={kn} {block} warps={warps} stages={stages} {how} programs={programs}")


def test_scaled_tiles(M, N, K, dtype, pair, scaled, block, warps, programs):
    """Scales are powers of two, so that all sums are exact."""
    a, b = numbers(M, K), numbers(N, K)
    bm, bn, bk = block
    scales = [2.0**rng.integers(-1, 2, (cdiv(K, bk), extent)).astype(np.float32) for extent in (M, N)]
    out = "fp32" if scaled else OUT[dtype]
    c = typed(np.full((M, N), 77), out)
    launch_once(FILE, "scaled_tiles",
                {"a_ptr": typed(a, dtype), "b_ptr": typed(b, dtype), "row_scale_ptr": scales[0], "column_scale_ptr": scales[1], "c_ptr": c, "M": M, "N": N, "K": K, "PAIR": pair, "SCALED": scaled,
                 "OUT": Expression(NAMES[out]), "BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk}, grid=(programs, ), num_warps=warps, num_stages=3)
    expected = a @ b.T
    if scaled:
        expected = sum(rows[:, None] * columns[None, :] * (a[:, k:k + bk] @ b[:, k:k + bk].T) for k, rows, columns in zip(range(0, K, bk), *scales))
    checks.expect((values_of(c) == rounded(expected, out)).all(), f"scaled_tiles {M}x{N}x{K} {dtype} pair={pair} scaled={scaled} {block} warps={warps} programs={programs}")


def test_batches(B, M, N, K, block):
    a, b, c = numbers(B, M, K), numbers(B, K, N), np.full((B, M, N), 77, np.float16)
    bm, bn, bk = block
    launch_once(FILE, "batches",
                {"a_ptr": typed(a, "fp16"), "b_ptr": typed(b, "fp16"), "c_ptr": c, "B": B, "M": M, "N": N, "K": K, "BLOCK_M": bm,
                 "BLOCK_N": bn, "BLOCK_K": bk}, grid=(B, cdiv(M, bm), cdiv(N, bn)))
    checks.expect((c == a @ b).all(), f"batches {B}x{M}x{N}x{K} {block}")


def test_one_block(B, M, N):
    a, c = numbers(B, M, N).astype(np.float32), np.full((B, M, N), 77, np.float32)
    launch_once(FILE, "one_block", {"a_ptr": a, "c_ptr": c, "B": B, "M": M, "N": N, "BLOCK_M": 32, "BLOCK_N": 16}, grid=(B, ))
    beyond = np.zeros((1, M, N), np.float32)  # the last program's block lies behind the last batch
    checks.expect((c == np.concatenate([a[1:], beyond]) + 1).all(), f"one_block {B}x{M}x{N}")


def test_outside(nan):
    M, N, K, block, start = 48, 64, 80, 64, -16
    a, b, c = numbers(M, K), numbers(K, N), np.full((block, block), 77, np.float16)
    launch_once(FILE, "outside",
                {"a_ptr": typed(a, "fp16"), "b_ptr": typed(b, "fp16"), "c_ptr": c, "M": M, "N": N, "K": K, "START": start, "NAN": nan,
                 "BLOCK": block})
    expected = np.zeros((block, block))
    expected[-start:] = (a @ b)[:block + start]
    if nan:  # every row meets columns outside of a
        expected[:] = np.nan
    checks.expect(np.array_equal(c.astype(np.float64), expected, equal_nan=True), f"outside nan={nan}")


for dtype, kn in itertools.product(("fp16", "bf16", "fp32", "fp8e4nv", "int8"), (False, True)):
    for block, warps, stages in (((64, 64, 64), 4, 3), ((16, 32, 32), 1, 2), ((128, 64, 64), 8, 4), ((64, 128, 32), 4, 1)):
        for specialize in (False, True):
            checks.run("one_tile", test_one_tile, 80, 96, 112, dtype, kn, block, warps, stages, specialize)
for dtype, kn, how in itertools.product(("fp16", "fp32", "fp8e5"), (False, True), ("whole", "halves", "transposed", "pointers")):
    for block, warps, stages in (((64, 64, 64), 4, 3), ((128, 128, 64), 8, 2), ((64, 128, 64), 8, 3)):
        for programs in (1, 3):
            checks.run("many_tiles", test_many_tiles, 144, 176, 208, dtype, kn, block, warps, stages, how, programs)
for M, N, K in ((128, 256, 64), (16, 16, 16), (272, 528, 144), (64, 64, 0), (0, 16, 16)):
    for warps in (4, 8):
        checks.run("many_tiles", test_many_tiles, M, N, K, "fp16", False, (128, 256, 64), warps, 3, "whole", 2)
for dtype, pair, scaled in itertools.product(("fp8e4nv", "int8", "fp16"), (False, True), (False, True)):
    for block, warps in (((128, 64, 64), 8), ((64, 64, 64), 4)):
        checks.run("scaled_tiles", test_scaled_tiles, 144, 208, 336, dtype, pair, scaled, block, warps, 2)
    checks.run("scaled_tiles without depth", test_scaled_tiles, 80, 16, 0, dtype, pair, scaled, (128, 64, 64), 8, 1)
for block in ((64, 64, 32), (32, 16, 16), (128, 128, 64)):
    checks.run("batches", test_batches, 3, 80, 48, 96, block)
for shape in ((3, 20, 12), (2, 32, 16)):
    checks.run("one_block", test_one_block, *shape)
for nan in (False, True):
    checks.run("outside", test_outside, nan)
checks.exit()

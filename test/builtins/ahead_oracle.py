"""Loops whose loads run ahead on a GPU although their addresses are loaded, operands that lie across, reductions of several values: kernels of
test/gpu/Inputs against float64. Tables are exactly as long as the loop: an iteration too far would read behind them."""
import os

import nereid_test
from builtin_test import Checks, np

checks = Checks()
rng = np.random.default_rng(33)
INPUTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "gpu", "Inputs")
K, M, N = 64, 64, 128


def launch(file, kernel, arguments, grid=(1, ), **options):
    nereid_test.launch(os.path.join(INPUTS, file), kernel, arguments, grid, **options)


def half(*shape):
    return rng.standard_normal(shape).astype(np.float16)


def test_pages(turns, warps, stages):
    x, y = half(M, 4096), np.full((M, N), 77, np.float32)
    left = x[:, :turns * K].astype(np.float64)
    pages = rng.permutation(9)[:turns].astype(np.int32)
    w = half(9, K, N)
    launch("paged.py", "paged", {"x": x, "w": w, "pages": pages, "y": y, "n": turns, "K": K, "M": M, "N": N}, num_warps=warps, num_stages=stages)
    expected = left @ w[pages].astype(np.float64).reshape(turns * K, N)
    checks.expect(np.abs(y - expected).max() <= 1e-3 * max(1.0, np.abs(expected).max()), f"pages: {np.abs(y - expected).max()}")
    index = rng.integers(0, 500, turns * K).astype(np.int32)
    w = half(500, N)
    launch("paged.py", "scattered", {"x": x, "w": w, "index": index, "y": y, "n": turns, "K": K, "M": M, "N": N}, num_warps=warps, num_stages=stages)
    expected = left @ w[index].astype(np.float64)
    checks.expect(np.abs(y - expected).max() <= 1e-3 * max(1.0, np.abs(expected).max()), f"rows: {np.abs(y - expected).max()}")


for turns in (0, 1, 2, 3, 7):
    for warps, stages in ((4, 3), (8, 4), (4, 1)):
        checks.run(f"{turns} pages, {warps} warps, {stages} stages", test_pages, turns, warps, stages)


def test_looked_up(turns, K, M, N, leaves_out):
    x, keys, values, y = half(M, N), half(300, N), half(300, N), np.full((M, N), 77, np.float32)
    index = rng.integers(0, 300, turns * K).astype(np.int32)
    launch("paged.py", "looked_up", {"x": x, "keys": keys, "values": values, "index": index, "y": y, "n": turns, "limit": 200, "K": K, "M": M, "N": N,
                                     "LEAVES_OUT": leaves_out})  # yapf: disable
    scores = x.astype(np.float64) @ keys[index].astype(np.float64).T * 0.125
    if leaves_out:
        scores[:, index >= 200] = 0
    expected = scores @ values[index].astype(np.float64)
    checks.expect(np.abs(y - expected).max() <= 2e-3 * max(1.0, np.abs(expected).max()), f"rows looked up: {np.abs(y - expected).max()}")


for K, M, N in ((32, 16, 256), (64, 64, 128), (64, 64, 256), (32, 16, 64)):
    for turns in (1, 2, 5):
        for leaves_out in (False, True):
            checks.run(f"{turns} times {K} rows of {N}, {leaves_out}", test_looked_up, turns, K, M, N, leaves_out)


def test_once():
    x, w, y = half(M, K), half(K, N), np.full((M, N), 77, np.float32)
    launch("paged.py", "once", {"x": x, "w": w, "y": y, "K": K, "M": M, "N": N})
    checks.expect(np.abs(y - x.astype(np.float64) @ w.astype(np.float64)).max() < 1e-3, "one product")


checks.run("operands that lie across", test_once)


def test_welford(columns, block, rows, warps):
    # The kernel has rows of 5000 numbers.
    x = (rng.standard_normal((9, 5000)) * 3 + 5).astype(np.float32)
    mean, var = np.full(9, 77, np.float32), np.full(9, 77, np.float32)
    launch("welford.py", "var_mean", {"out_var": var, "x": x, "out_mean": mean, "xnumel": 9, "r0_numel": columns, "XBLOCK": rows, "R0_BLOCK": block},
           (-(-9 // rows), ), num_warps=warps)
    exact = x[:, :columns].astype(np.float64)
    checks.expect(np.abs(mean - exact.mean(1)).max() < 1e-4 and np.abs(var * 4999 / columns - exact.var(1)).max() < 1e-3,
                  f"{np.abs(mean - exact.mean(1)).max()} {np.abs(var * 4999 / columns - exact.var(1)).max()}")


for columns, block, rows, warps in ((5000, 2048, 1, 16), (5000, 1024, 2, 8), (4999, 256, 4, 4), (3, 64, 16, 2), (513, 512, 1, 32)):
    checks.run(f"mean and variance of {columns} in {block}, {rows} rows, {warps} warps", test_welford, columns, block, rows, warps)

checks.exit()

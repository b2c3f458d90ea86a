"""The kernels for many sequences against float64: odd sizes, tails, rows of 16 bytes and others, shares with and without depth."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "..", "kernels"))
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, power_of_two, random_array  # noqa: E402

FILE = kernel_file("batch", os.path.dirname(HERE))
checks = Checks()
rng = np.random.default_rng(20)


def close(values, expected, dtype, what):
    checks.close(values, expected, what, rtol=2 * TOLERANCE[dtype], atol=2 * TOLERANCE[dtype] * max(1.0, np.abs(expected).max(initial=0)))


def test_gated(M, N, K, dtype, block, warps):
    x, w, out = random_array(rng, (M, K), dtype), random_array(rng, (2 * N, K), dtype, K**-0.5), empty_array((M, N), dtype)
    launch(FILE, "gated_rows", {"x_ptr": x.argument, "w_ptr": w.argument, "out_ptr": out.argument, "M": M, "N": N, "K": K, "BLOCK_M": block[0], "BLOCK_N": block[1], "BLOCK_K": block[2], "PRECISION": "ieee"},
           grid=(cdiv(M, block[0]) * cdiv(N, block[1]), ), num_warps=warps)  # yapf: disable
    both = x.values @ w.values.T
    gate, up = both[:, :N], both[:, N:]
    close(out.values, gate / (1 + np.exp(-gate)) * up, dtype, f"gated_rows {M}x{N}x{K} {dtype} {block}")


def test_shares(M, N, K, dtype, block, shares, warps):
    what = f"shares_of_rows {M}x{N}x{K} {dtype} {block} {shares} shares"
    x, w, sums = random_array(rng, (M, K), dtype), random_array(rng, (N, K), dtype, K**-0.5), np.full((shares, M, N), 7.0, np.float32)
    launch(FILE, "shares_of_rows", {"x_ptr": x.argument, "w_ptr": w.argument, "sums_ptr": sums, "M": M, "N": N, "K": K, "depth": cdiv(cdiv(K, block[2]), shares) * block[2], "BLOCK_M": block[0],
                                    "BLOCK_N": block[1], "BLOCK_K": block[2], "PRECISION": "ieee"}, grid=(cdiv(M, block[0]) * cdiv(N, block[1]), shares), num_warps=warps)  # yapf: disable
    change = x.values @ w.values.T
    close(sums.sum(axis=0, dtype=np.float64), change, dtype, what)
    state, gain, h = random_array(rng, (M, N), dtype), random_array(rng, (N, ), dtype), empty_array((M, N), dtype)
    expected = state.values + sums.sum(axis=0, dtype=np.float64)
    launch_once(FILE, "add_shares_norm", {"sums_ptr": sums, "x_ptr": state.argument, "gain_ptr": gain.argument, "h_ptr": h.argument, "N": N, "eps": 1e-5, "SHARES": shares, "BLOCK": power_of_two(N)},
                grid=(M, ))  # yapf: disable
    close(state.values, expected, dtype, what + ": the residual sum")
    close(h.values, expected / np.sqrt((expected**2).mean(axis=1, keepdims=True) + 1e-5) * gain.values, dtype, what + ": its norm")


for dtype in DTYPES:
    for M, N, K in ((40, 56, 72), (5, 9, 33), (130, 64, 128)):
        checks.run("gated_rows", test_gated, M, N, K, dtype, (32, 32, 32), 4)
        checks.run("shares_of_rows", test_shares, M, N, K, dtype, (32, 32, 32), 3, 4)
    checks.run("gated_rows of two warp groups", test_gated, 144, 72, 136, dtype, (128, 64, 64), 8)
    checks.run("shares_of_rows of two warp groups", test_shares, 144, 72, 328, dtype, (128, 64, 64), 2, 8)
checks.exit()

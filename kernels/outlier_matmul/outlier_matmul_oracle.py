"""outlier_matmul: which columns are too large, the rounding of the others, and products with both parts, against float64 and exact integers: no such column, all, odd sizes, strides, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(68)
FILE = kernel_file("outlier_matmul")


def test(M, N, K, dtype, threshold=6.0, large=3, transposed=False, blocks=None):
    what = f"outlier_matmul {M}x{N}x{K} {dtype} from {threshold}, {large} large columns transposed={transposed} blocks={blocks}"
    a = random_array(rng, (M, K + 2), dtype)
    if M and large:
        a.data[rng.integers(0, M, large), rng.choice(K, large, replace=False)] = a.data.dtype.type(0x4120) if dtype == "bf16" else 10  # 10 in either
    values = a.values[:, :K]
    flags = np.full(K, 9, np.int8)
    launch(FILE, "outlier_columns", {"a_ptr": a.argument, "flags_ptr": flags, "M": M, "K": K, "a_stride_m": K + 2, "threshold": threshold, "BLOCK_M": 4, "BLOCK_K": 16}, grid=(cdiv(K, 16), ))
    is_large = (np.abs(values) >= threshold).any(axis=0) & (threshold > 0)
    checks.equal(flags, is_large.astype(np.int8), what + ": columns")
    q, scale = np.full((M, K), 99, np.int8), np.full(M, 1e9, np.float32)
    launch(FILE, "quantize_others", {"a_ptr": a.argument, "flags_ptr": flags, "q_ptr": q, "scale_ptr": scale, "K": K, "a_stride_m": K + 2, "BLOCK": 16}, grid=(M, ))
    others = np.where(is_large, 0, values)
    expected_scale = np.abs(others).max(axis=1, initial=0) / 127
    checks.close(scale, expected_scale, what + ": scales", rtol=1e-6, atol=0)
    off = np.abs(others / np.where(expected_scale == 0, 1, expected_scale)[:, None] - q)
    checks.expect((off <= 0.5 + 1e-4).all() and not q[:, is_large].any(), f"{what}: rounding is off by {off.max(initial=0)}")
    # Weights lie along N, or along K, then in rows of multiples of 16.
    w = rng.integers(-127, 128, (N, cdiv(K, 16) * 16) if transposed else (K, N + 1)).astype(np.int8)
    w_k, w_n = (1, w.shape[1]) if transposed else (N + 1, 1)
    block_m, block_n, block_k = blocks or (16, 16, 32)
    w_scale = rng.uniform(0.5, 2, N).astype(np.float32)
    places, number, c = np.append(np.flatnonzero(is_large), [0] * (K - is_large.sum())).astype(np.int32), np.array([is_large.sum()], np.int32), empty_array((M, N + 3), dtype)
    launch(FILE, "outlier_matmul", {"q_ptr": q, "w_ptr": w, "q_scale_ptr": scale, "w_scale_ptr": w_scale, "a_ptr": a.argument, "places_ptr": places, "number_ptr": number, "c_ptr": c.argument, "M": M, "N": N,
                                    "K": K, "a_stride_m": K + 2, "w_stride_k": w_k, "w_stride_n": w_n, "c_stride_m": N + 3, "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "BLOCK_O": 16, "GROUP_M": 2,
                                    "PRECISION": "ieee", "BLOCKS": blocks is not None}, grid=(cdiv(M, block_m) * cdiv(N, block_n), ))
    wide = (w[:, :K].T if transposed else w[:, :N]).astype(np.float64) * w_scale
    expected = (q * scale.astype(np.float64)[:, None] + np.where(is_large, values, 0)) @ wide
    checks.close(c.values[:, :N], expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 127 * max(K, 1)**0.5)
    checks.expect(c.untouched[:, N:].all(), what + ": nothing behind the columns")


for dtype in DTYPES:
    checks.run(f"outlier_matmul {dtype}", test, 9, 21, 70, dtype)
    checks.run(f"outlier_matmul, many {dtype}", test, 33, 40, 96, dtype, 6.0, 40)
checks.run("outlier_matmul, none is large", test, 5, 16, 32, "fp32", 6.0, 0)
checks.run("outlier_matmul, all are large", test, 5, 16, 40, "fp32", 1e-9, 0)
checks.run("outlier_matmul without a threshold", test, 5, 16, 40, "fp32", 0.0)
checks.run("outlier_matmul along K", test, 20, 33, 70, "bf16", 6.0, 20, True)
for dtype in ("fp16", "bf16"):
    checks.run(f"outlier_matmul of blocks {dtype}", test, 70, 50, 144, dtype, 6.0, 20, True, (64, 32, 64))
checks.run("outlier_matmul of one row", test, 1, 3, 5, "fp32")
checks.run("outlier_matmul without rows", test, 0, 16, 32, "fp32")
checks.exit()

"""split_k_matmul against float64: one split and many, depths that do not divide K, transposed operands, descriptors."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(18)


def test(M, N, K, dtype, splits, transposed):
    what = f"split_k_matmul {M}x{N}x{K} {dtype} splits={splits} transposed={transposed}"
    a, b = random_array(rng, (K, M) if transposed else (M, K), dtype), random_array(rng, (N, K) if transposed else (K, N), dtype)
    depth = cdiv(cdiv(K, 32), splits) * 32
    partial, c = np.full((splits, M, N), 9, np.float32), empty_array(M * N, dtype)
    strides = (1, M, 1, K) if transposed else (K, 1, N, 1)
    launch(kernel_file("split_k_matmul"), "split_k_matmul",
           {"a_ptr": a.argument, "b_ptr": b.argument, "partial_ptr": partial, "M": M, "N": N, "K": K, "depth": depth, "BLOCK_M": 16,
            "BLOCK_N": 32, "BLOCK_K": 32, "PRECISION": "ieee",
            **dict(zip(("a_stride_m", "a_stride_k", "b_stride_k", "b_stride_n"), strides))}, grid=(cdiv(M, 16) * cdiv(N, 32), splits))
    launch(kernel_file("reduce"), "reduce_columns",
           {"x_ptr": partial, "out_ptr": c.argument, "x_row_stride": M * N, "n_rows": splits, "n_columns": M * N, "KIND": "sum",
            "BLOCK_ROWS": 2, "BLOCK_COLUMNS": 64}, grid=(cdiv(M * N, 64), ))
    expected = (a.values.T if transposed else a.values) @ (b.values.T if transposed else b.values)
    checks.close(c.values.reshape(M, N), expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * K**0.5)


for dtype in DTYPES:
    for M, N, K, splits in ((5, 40, 500, 4), (16, 32, 64, 1), (33, 7, 100, 8), (1, 1, 33, 2)):
        for transposed in (False, True):
            checks.run(f"split_k_matmul {M}x{N}x{K} {dtype}", test, M, N, K, dtype, splits, transposed)


def test_blocks(M, N, K, dtype, splits, order):
    what = f"split_k_matmul by blocks {M}x{N}x{K} {dtype} splits={splits} {order}"
    k_stride, n_stride = cdiv(K, 16) * 16 + 16, cdiv(N, 16) * 16 + 16
    a, b = random_array(rng, (M, k_stride), dtype), random_array(rng, (N, k_stride) if order == "NK" else (K, n_stride), dtype)
    values = b.values[:, :K].T if order == "NK" else b.values[:, :N]
    partial = np.full((splits, M, N), 9, np.float32)
    launch(kernel_file("split_k_matmul"), "split_k_matmul",
           {"a_ptr": a.argument, "b_ptr": b.argument, "partial_ptr": partial, "M": M, "N": N, "K": K, "a_stride_m": k_stride, "a_stride_k": 1, "b_stride_k": 1 if order == "NK" else n_stride,
            "b_stride_n": k_stride if order == "NK" else 1, "depth": cdiv(cdiv(K, 32), splits) * 32, "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "PRECISION": "ieee", "B_LIES": order}, grid=(cdiv(M, 64) * cdiv(N, 64), splits))
    checks.close(partial.sum(0, dtype=np.float64), a.values[:, :K] @ values, what, rtol=TOLERANCE["fp32"], atol=TOLERANCE["fp32"] * K**0.5)


for dtype in ("fp16", "bf16"):
    for M, N, K, splits in ((70, 100, 500, 4), (64, 64, 64, 1), (33, 7, 100, 8)):
        for order in ("KN", "NK"):
            checks.run(f"split_k_matmul by blocks {M}x{N}x{K} {dtype} {order}", test_blocks, M, N, K, dtype, splits, order)
checks.exit()

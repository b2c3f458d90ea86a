"""block_sparse_matmul and its gradient against float64: blocks of several sizes, row blocks without any, all of them there, odd numbers of rows, strides, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(66)
FILE = kernel_file("block_sparse_matmul")


def test(M, blocks_n, blocks_k, share, size, dtype, bias=False):
    what = f"block_sparse_matmul {M}x{blocks_n}x{blocks_k} {share} size={size} {dtype} bias={bias}"
    present = rng.random((blocks_n, blocks_k)) < share
    row, col = (each.astype(np.int32) for each in np.nonzero(present))
    crow = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32)
    N, K = blocks_n * size, blocks_k * size
    values, a, offset = random_array(rng, (len(col), size, size), dtype), random_array(rng, (M, K + 3), dtype), random_array(rng, (N, ), dtype)
    w = np.zeros((blocks_n, size, blocks_k, size))
    w[row, :, col] = values.values
    w = w.reshape(N, K)
    c, settings = empty_array((M, N + 1), dtype), {"M": M, "SIZE": size, "BLOCK_M": 16, "PRECISION": "ieee"}
    launch(FILE, "block_sparse_matmul", {"a_ptr": a.argument, "values_ptr": values.argument, "crow_ptr": crow, "col_ptr": col, "bias_ptr": offset.argument if bias else None, "c_ptr": c.argument,
                                         "a_stride_m": K + 3, "c_stride_m": N + 1} | settings, grid=(cdiv(M, 16), blocks_n))
    tolerance = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype] * max(K, M, 1)**0.5}
    checks.close(c.values[:, :N], a.values[:, :K] @ w.T + (offset.values if bias else 0), what, **tolerance)
    checks.expect(c.untouched[:, N].all(), what + ": nothing written past the end of a row")
    grad_c, grad_values = random_array(rng, (M, N + 2), dtype), empty_array(values.data.shape, dtype)
    launch(FILE, "block_sparse_gradient", {"grad_c_ptr": grad_c.argument, "a_ptr": a.argument, "row_ptr": row, "col_ptr": col, "grad_values_ptr": grad_values.argument, "grad_c_stride_m": N + 2,
                                           "a_stride_m": K + 3} | settings, grid=(len(col), ))
    whole = (grad_c.values[:, :N].T @ a.values[:, :K]).reshape(blocks_n, size, blocks_k, size)
    checks.close(grad_values.values, whole[row, :, col], what + ": gradient of the values", **tolerance)


for dtype in DTYPES:
    checks.run(f"block_sparse_matmul {dtype}", test, 37, 3, 5, 0.4, 16, dtype, True)
for share in (0.0, 0.1, 1.0):
    checks.run(f"block_sparse_matmul {share}", test, 20, 4, 3, share, 16, "fp32")
for size in (32, 64):
    checks.run(f"block_sparse_matmul of blocks of {size}", test, 16, 2, 3, 0.5, size, "fp32")
for M, blocks_n, blocks_k in ((1, 1, 1), (0, 2, 2), (5, 0, 2)):
    checks.run(f"block_sparse_matmul {M}x{blocks_n}x{blocks_k}", test, M, blocks_n, blocks_k, 0.7, 16, "fp32")
checks.exit()

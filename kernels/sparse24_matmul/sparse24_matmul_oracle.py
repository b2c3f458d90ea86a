"""sparse24_compress, sparse24_expand, sparse24_order, sparse24_matmul and sparse24_product: the two largest of each group bit by bit, ties, zeros, infinities and NaN; products against float64; odd sizes, strides, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(65)
FILE = kernel_file("sparse24_matmul")


def compressed(w):
    """(values, places, dense with zeros) of w [N, K], by the definition."""
    groups = w.reshape(len(w), w.shape[1] // 4, 4)
    is_number = ~np.isnan(groups)
    rank = np.lexsort((np.broadcast_to(np.arange(4), groups.shape), -np.where(is_number, abs(groups), np.inf), is_number), axis=-1)
    kept = np.sort(rank[..., :2], axis=-1)
    values = np.take_along_axis(groups, kept, axis=-1)
    nibbles = kept[..., 0] | kept[..., 1] << 2
    dense = np.zeros(groups.shape)
    np.put_along_axis(dense, kept, values, axis=-1)
    return values.reshape(len(w), w.shape[1] // 2), (nibbles[:, ::2] | nibbles[:, 1::2] << 4).astype(np.uint8), dense.reshape(w.shape)


def test(N, K, dtype, kind="random"):
    what = f"sparse24 {N}x{K} {dtype} {kind}"
    w = random_array(rng, (N, K + 8), dtype)
    if kind == "ties":
        w = Array(rng.integers(-2, 3, (N, K + 8)), dtype)
    if kind == "extremes":
        w.data[:, ::3], w.data[:, 1::7] = Array(np.inf, dtype).data, Array(np.nan, dtype).data
    values, places = empty_array((N, K // 2), dtype), np.full((N, K // 8), 77, np.uint8)
    launch(FILE, "sparse24_compress", {"w_ptr": w.argument, "values_ptr": values.argument, "places_ptr": places, "w_row_stride": K + 8, "N": N, "K": K, "BLOCK_N": 4, "BLOCK_K": 32},
           grid=(cdiv(K, 32), cdiv(N, 4)))
    expected = compressed(w.values[:, :K])
    checks.equal(places, expected[1], what + ": places")
    checks.equal(values.values, expected[0], what + ": values")
    dense = empty_array((N, K + 1), dtype)
    launch(FILE, "sparse24_expand", {"values_ptr": values.argument, "places_ptr": places, "w_ptr": dense.argument, "values_row_stride": K // 2, "places_row_stride": K // 8, "w_row_stride": K + 1, "N": N, "K": K, "BLOCK_N": 4, "BLOCK_K": 32},
           grid=(cdiv(K, 32), cdiv(N, 4)))
    checks.equal(dense.values[:, :K], expected[2], what + ": expanded")
    checks.expect(dense.untouched[:, K].all(), what + ": nothing written past the end of a row")


def test_matmul(M, N, K, dtype, bias=False):
    what = f"sparse24_matmul {M}x{N}x{K} {dtype} bias={bias}"
    values, places, dense = compressed(Array(rng.standard_normal((N, K)), dtype).values)
    a, c, values, offset = random_array(rng, (M, K + 3), dtype), empty_array((M, N + 1), dtype), Array(values, dtype), random_array(rng, (N, ), dtype)
    given = {"a_ptr": a.argument, "values_ptr": values.argument, "places_ptr": places, "bias_ptr": offset.argument if bias else None, "c_ptr": c.argument, "M": M, "N": N, "K": K,
                                     "a_stride_m": K + 3, "values_row_stride": K // 2, "places_row_stride": K // 8, "c_stride_m": N + 1, "BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 32, "EVEN_K": K % 32 == 0, "PRECISION": "ieee"}
    launch(FILE, "sparse24_matmul", given, grid=(cdiv(M, 16) * cdiv(N, 32), ))
    expected = a.values[:, :K] @ dense.T + (offset.values if bias else 0)
    sums = np.full((2, M, N), 7.0, np.float32)
    launch(FILE, "sparse24_matmul", given | {"c_ptr": sums, "c_stride_m": N}, grid=(cdiv(M, 16) * cdiv(N, 32), 2))
    checks.close(sums.astype(np.float64).sum(axis=0), expected, what + ", in shares", rtol=1e-4, atol=1e-4 * max(K, 1)**0.5)
    checks.close(c.values[:, :N], expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)
    checks.expect(c.untouched[:, N].all(), what + ": nothing written past the end of a row")


def in_order(places, N, K):
    """places as sparse24_order stores them, by the definition."""
    rows, columns = cdiv(N, 128) * 128, cdiv(K, 128) * 128
    whole = np.full((rows, columns // 8), 0x44, np.uint8)
    whole[:N, :K // 8] = places
    ordered = np.zeros((rows // 8, columns // 2), np.int16)
    r, q = np.meshgrid(np.arange(rows), np.arange(columns // 16), indexing="ij")
    ordered[r // 16 * 2 + r % 8 // 4, q // 4 * 32 + r % 4 * 8 + q % 4 * 2 + r // 8 % 2] = whole.view(np.int16)
    return ordered


def test_product(M, N, K, dtype, bias=False, tile=(16, 64, 64), programs=3):
    what = f"sparse24_product {M}x{N}x{K} {dtype} bias={bias} tile={tile}"
    values, places, dense = compressed(Array(rng.standard_normal((N, K)), dtype).values)
    expected_order = in_order(places, N, K)
    ordered = np.zeros_like(expected_order)
    launch(FILE, "sparse24_order", {"places_ptr": places, "ordered_ptr": ordered, "N": N, "K": K, "BLOCK_N": 128, "BLOCK_K": 128}, grid=(cdiv(K, 128), cdiv(N, 128)))
    checks.equal(ordered, expected_order, what + ": order")
    a, c, values, offset = random_array(rng, (M, K + 8), dtype), empty_array((M, N + 8), dtype), Array(values, dtype), random_array(rng, (N, ), dtype)
    launch(FILE, "sparse24_product", {"a_ptr": a.argument, "values_ptr": values.argument, "ordered_ptr": ordered, "bias_ptr": offset.argument if bias else None, "c_ptr": c.argument, "M": M, "N": N, "K": K, "half": K // 2,
                                      "strips": ordered.shape[0], "whole": ordered.shape[1], "a_stride_m": K + 8, "c_stride_m": N + 8, "BLOCK_M": tile[0], "BLOCK_N": tile[1], "BLOCK_K": tile[2], "GROUP_N": 2, "PRECISION": "ieee"},
           grid=(programs, ))  # yapf: disable
    expected = a.values[:, :K] @ dense.T + (offset.values if bias else 0)
    checks.close(c.values[:, :N], expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)
    checks.expect(c.untouched[:, N:].all(), what + ": nothing written past the end of a row")


for dtype in DTYPES:
    checks.run(f"sparse24_product {dtype}", test_product, 20, 72, 112, dtype, True)
for M, N, K, tile in ((1, 8, 16, (16, 64, 64)), (33, 200, 208, (32, 128, 64)), (16, 64, 128, (16, 64, 128)), (0, 8, 16, (16, 64, 64)), (5, 0, 16, (16, 64, 64)), (3, 8, 0, (16, 64, 64))):
    checks.run(f"sparse24_product {M}x{N}x{K}", test_product, M, N, K, "fp16", False, tile)
for dtype in DTYPES:
    for kind in ("random", "ties", "extremes"):
        checks.run(f"sparse24 {dtype} {kind}", test, 7, 104, dtype, kind)
    checks.run(f"sparse24_matmul {dtype}", test_matmul, 20, 50, 104, dtype, True)
for N, K in ((1, 8), (4, 32), (0, 16), (3, 0)):
    checks.run(f"sparse24 {N}x{K}", test, N, K, "fp32")
for M, N, K in ((1, 1, 8), (16, 32, 32), (33, 70, 40), (0, 5, 8), (5, 0, 8), (3, 4, 0)):
    checks.run(f"sparse24_matmul {M}x{N}x{K}", test_matmul, M, N, K, "fp32")
checks.exit()

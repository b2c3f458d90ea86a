"""lookup_matmul: codes of 2, 3 and 4 bits bit by bit, tables, weights beside and products against float64: odd sizes, tails, strides, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(67)
FILE = kernel_file("lookup_matmul")


def packed(codes, bits):
    """32 codes along k as one number of 32 * bits bits, cut into words."""
    K, N = codes.shape
    words = np.zeros((K // 32 * bits, N), np.int64)
    for group in range(K // 32):
        for n in range(N):
            number = sum(int(code) << (bits * i) for i, code in enumerate(codes[32 * group:32 * group + 32, n]))
            for word in range(bits):
                words[group * bits + word, n] = number >> (32 * word) & 0xFFFFFFFF
    return words.astype(np.uint32).view(np.int32)


def weights(K, N, bits):
    codes, table = rng.integers(0, 2**bits, (K, N)), rng.standard_normal((N, 2**bits)).astype(np.float32)
    return packed(codes, bits), table, table[np.arange(N), codes]


def test_dequantize(K, N, bits, dtype):
    what = f"lookup_dequantize {K}x{N} {bits} bits {dtype}"
    q, table, w = weights(K, N, bits)
    out = empty_array((K, N), dtype)
    launch(FILE, "lookup_dequantize", {"q_ptr": q, "table_ptr": table, "out_ptr": out.argument, "K": K, "N": N, "BITS": bits, "BLOCK_K": 16, "BLOCK_N": 16}, grid=(cdiv(N, 16), cdiv(K, 16)))
    checks.equal(out.values, Array(w, dtype).values, what)


def test(M, N, K, bits, dtype, with_sparse):
    what = f"lookup_matmul {M}x{N}x{K} {bits} bits {dtype} sparse={with_sparse}"
    q, table, w = weights(K, N, bits)
    a, c = random_array(rng, (M, K + 3), dtype), empty_array((M, N + 2), dtype)
    beside, exact = None, Array(w, dtype).values
    if with_sparse:
        sparse = np.where(rng.random((N, K)) < 0.1, rng.standard_normal((N, K)), 0).astype(np.float32)
        starts = np.append(0, np.cumsum((sparse != 0).sum(axis=1))).astype(np.int32)
        places, values, beside = np.nonzero(sparse)[1].astype(np.int32), sparse[sparse != 0], np.full((M, N), 1e9, np.float32)
        launch(FILE, "sparse_part", {"a_ptr": a.argument, "starts_ptr": starts, "places_ptr": places, "values_ptr": values, "out_ptr": beside, "M": M, "N": N, "a_stride_m": K + 3, "BLOCK_M": 4, "BLOCK": 8},
               grid=(N, cdiv(M, 4)))
        checks.close(beside, a.values[:, :K] @ sparse.T.astype(np.float64), what + ": weights beside", rtol=1e-5, atol=1e-5)
        exact = exact + sparse.T
    given = {"a_ptr": a.argument, "q_ptr": q, "table_ptr": table, "beside_ptr": beside, "c_ptr": c.argument, "M": M, "N": N, "K": K, "a_stride_m": K + 3, "c_stride_m": N + 2, "BITS": bits,
             "BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 32, "PRECISION": "ieee"}
    launch(FILE, "lookup_matmul", given, grid=(cdiv(M, 16) * cdiv(N, 16), ))
    sums = np.full((2, M, N), 7.0, np.float32)
    launch(FILE, "lookup_matmul", given | {"c_ptr": sums, "c_stride_m": N}, grid=(cdiv(M, 16) * cdiv(N, 16), 2))
    checks.close(sums.astype(np.float64).sum(axis=0), a.values[:, :K] @ exact, what + ", in shares", rtol=1e-4, atol=1e-4 * max(K, 1)**0.5)
    checks.close(c.values[:, :N], a.values[:, :K] @ exact, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)
    checks.expect(c.untouched[:, N:].all(), what + ": nothing behind the columns")


for bits in (2, 3, 4):
    for dtype in DTYPES:
        checks.run(f"lookup_dequantize {bits} {dtype}", test_dequantize, 96, 21, bits, dtype)
        checks.run(f"lookup_matmul {bits} {dtype}", test, 5, 37, 64, bits, dtype, bits != 2)
checks.run("lookup_matmul of one row", test, 1, 16, 32, 4, "fp32", True)
checks.run("lookup_matmul, many rows", test, 33, 40, 128, 3, "fp32", False)
checks.run("lookup_matmul without rows", test, 0, 16, 32, 4, "fp32", True)
checks.run("lookup_matmul without depth", test, 3, 16, 0, 4, "fp32", False)
checks.exit()

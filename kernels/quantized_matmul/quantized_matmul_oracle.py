"""quantized_matmul against float64 on the dequantized weights: int8 and int4, group sizes, with and without zero points, in shares of the depth; and the weights themselves."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(20)
FILE = kernel_file("quantized_matmul")


def compare(what, a, w, c, N, dtype):
    rounded = Array(w, dtype).values  # the kernel multiplies in the type of a
    checks.close(c.values[:, :N], a.values @ rounded, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * w.shape[0]**0.5)
    checks.expect(c.untouched[:, N:].all(), what + ": nothing written past the end of a row")


def arguments(a, q, scale, c, M, N, K, group):
    return {"a_ptr": a.argument, "q_ptr": q, "scale_ptr": scale, "c_ptr": c.argument, "M": M, "N": N, "K": K, "a_stride_m": a.data.shape[1],
            "q_stride_k": N, "c_stride_m": c.data.shape[1], "GROUP_SIZE": group, "BLOCK_M": 16, "BLOCK_N": 32, "PRECISION": "ieee"}


def shares(what, kernel, given, expected, count=3):
    """Sums of shares, one behind the other, come to the product."""
    M, N = expected.shape
    sums = np.full((count, M, N), 7.0, np.float32)
    launch(FILE, kernel, given | {"c_ptr": sums, "c_stride_m": N}, grid=(cdiv(M, 16) * cdiv(N, 32), count))
    checks.close(sums.astype(np.float64).sum(axis=0), expected, what, rtol=1e-4, atol=1e-4 * given["K"]**0.5)


def dense(what, kernel, given, grid, group, w, dtype):
    out = empty_array(w.shape, dtype)
    launch(FILE, kernel, given | {"out_ptr": out.argument, "N": w.shape[1], "K": w.shape[0], "q_stride_k": w.shape[1], "GROUP_SIZE": group, "BLOCK_N": 32}, grid=grid)
    checks.close(out.values, w, what + ": dequantized", rtol=TOLERANCE[dtype], atol=1e-6)


def test_int8(M, N, K, group, dtype):
    a, c = random_array(rng, (M, K + 3), dtype), empty_array((M, N + 2), dtype)
    q, scale = rng.integers(-128, 128, (K, N)).astype(np.int8), rng.uniform(0.001, 0.02, (K // group, N)).astype(np.float32)
    launch(FILE, "int8_weight_matmul", arguments(a, q, scale, c, M, N, K, group) | {"BLOCK_K": 16}, grid=(cdiv(M, 16) * cdiv(N, 32), ))
    w = q * np.repeat(scale, group, axis=0).astype(np.float64)
    shares(f"int8 weights {M}x{N}x{K} in shares", "int8_weight_matmul", arguments(a, q, scale, c, M, N, K, group) | {"BLOCK_K": 16}, a.values[:, :K] @ Array(w, dtype).values)
    dense(f"int8 weights {N}x{K} {dtype}", "int8_weight_dequantize", {"q_ptr": q, "scale_ptr": scale, "BLOCK_K": 16}, (cdiv(N, 32), cdiv(K, 16)), group, w, dtype)
    a.data = np.ascontiguousarray(a.data[:, :K])
    compare(f"int8 weights {M}x{N}x{K} group={group} {dtype}", a, q * np.repeat(scale, group, axis=0).astype(np.float64), c, N, dtype)


def packed(q, group):
    """Two rows of 4 bits in a byte, as the kernel's file says."""
    halves = q.reshape(-1, 2, group // 2, q.shape[1])
    return (halves[:, 0] | halves[:, 1] << 4).reshape(-1, q.shape[1]).astype(np.uint8)


def test_int4(M, N, K, group, dtype, has_zero):
    a, c = random_array(rng, (M, K + 3), dtype), empty_array((M, N + 2), dtype)
    q, scale = rng.integers(0, 16, (K, N)), rng.uniform(0.01, 0.2, (K // group, N)).astype(np.float32)
    zero = rng.uniform(0, 15, (K // group, N)).astype(np.float32) if has_zero else None
    launch(FILE, "int4_weight_matmul", arguments(a, packed(q, group), scale, c, M, N, K, group) | {"zero_ptr": zero},
           grid=(cdiv(M, 16) * cdiv(N, 32), ))
    w = (q - (np.repeat(zero, group, axis=0).astype(np.float64) if has_zero else 8)) * np.repeat(scale, group, axis=0)
    shares(f"int4 weights {M}x{N}x{K} in shares", "int4_weight_matmul", arguments(a, packed(q, group), scale, c, M, N, K, group) | {"zero_ptr": zero}, a.values[:, :K] @ Array(w, dtype).values)
    dense(f"int4 weights {N}x{K} {dtype} zero={has_zero}", "int4_weight_dequantize", {"q_ptr": packed(q, group), "scale_ptr": scale, "zero_ptr": zero}, (cdiv(N, 32), K // group), group, w, dtype)
    a.data = np.ascontiguousarray(a.data[:, :K])
    compare(f"int4 weights {M}x{N}x{K} group={group} {dtype} zero={has_zero}", a, w, c, N, dtype)


def test_vector(N, K, group, dtype, has_zero, count=2):
    a, q, scale = random_array(rng, (1, K), dtype), rng.integers(0, 16, (K, N)), rng.uniform(0.01, 0.2, (K // group, N)).astype(np.float32)
    zero = rng.uniform(0, 15, (K // group, N)).astype(np.float32) if has_zero else None
    sums = np.full((count, N), 7.0, np.float32)
    launch(FILE, "int4_weight_vector", {"a_ptr": a.argument, "q_ptr": packed(q, group), "scale_ptr": scale, "zero_ptr": zero, "c_ptr": sums, "N": N, "K": K, "q_stride_k": N, "GROUP_SIZE": group,
                                        "ROWS": 16, "BLOCK_N": 32}, grid=(cdiv(N, 32), count))
    w = (q - (np.repeat(zero, group, axis=0).astype(np.float64) if has_zero else 8)) * np.repeat(scale, group, axis=0)
    checks.close(sums.astype(np.float64).sum(axis=0), (a.values @ w)[0], f"int4 weights and one row, {N}x{K} group={group} {dtype} zero={has_zero}", rtol=1e-4, atol=1e-4 * K**0.5)


for dtype in DTYPES:
    for N, K, group in ((40, 64, 32), (64, 384, 128), (1, 32, 32)):
        for has_zero in (False, True):
            checks.run(f"int4 weights and one row {N}x{K} {dtype} {has_zero}", test_vector, N, K, group, dtype, has_zero)
    for M, N, K, group in ((5, 40, 64, 32), (33, 17, 96, 32), (1, 1, 32, 32), (16, 64, 256, 128), (0, 5, 32, 32)):
        checks.run(f"int8 weights {M}x{N}x{K} {dtype}", test_int8, M, N, K, group, dtype)
        for has_zero in (False, True):
            checks.run(f"int4 weights {M}x{N}x{K} {dtype}", test_int4, M, N, K, group, dtype, has_zero)
checks.exit()

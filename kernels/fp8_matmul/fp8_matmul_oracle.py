"""fp8_matmul against float64 on the very values of fp8: scales of rows, blocks and the whole depth, odd sizes and tails, strides, both types, codes in uint8, results in every type, no elements."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, Typed, cdiv, empty_array, kernel_file, launch, np
from nereid_test import fp8_from_float, fp8_to_float

checks = Checks()
rng = np.random.default_rng(62)
FILE = kernel_file("fp8_matmul")


def matrix(rows, columns, stride, kind):
    """(what the kernel gets, values) of a matrix with rows `stride` apart."""
    bits = fp8_from_float(rng.standard_normal((rows, stride)), kind)
    return bits, fp8_to_float(bits, kind)[:, :columns].astype(np.float64)


def test(M, N, K, kind="fp8e4nv", dtype="fp32", scale_m=1, scale_n=128, depth=128, block_m=16, block_n=32, by_descriptor=False, programs=None, as_codes=False, halves=1, num_warps=4):
    what = f"fp8_matmul {M}x{N}x{K} {kind} {dtype} scales {scale_m},{scale_n},{depth} blocks {block_m},{block_n} descriptor={by_descriptor} halves={halves}"
    a_stride, b_stride = (cdiv(K, 16) * 16, cdiv(K, 16) * 16 + 16) if by_descriptor else (K + 3, K + 1)
    (a_bits, a), (b_bits, b) = matrix(M, K, a_stride, kind), matrix(N, K, b_stride, kind)
    blocks, rows_a, rows_b = cdiv(K, depth), cdiv(M, scale_m), cdiv(N, scale_n)
    a_scale = rng.uniform(0.1, 2, (blocks, rows_a)).astype(np.float32)  # lies transposed, as TMA wants it elsewhere
    b_scale = rng.uniform(0.1, 2, (rows_b, blocks)).astype(np.float32)
    c, typed = empty_array((M, N + 1), dtype), (lambda bits: bits) if as_codes else (lambda bits: Typed(bits, kind))
    given = {
        "a_ptr": typed(a_bits), "b_ptr": typed(b_bits), "a_scale_ptr": a_scale, "b_scale_ptr": b_scale, "c_ptr": c.argument, "M": M, "N": N, "K": K, "a_stride_m": a_stride, "b_stride_n": b_stride,
        "c_stride_m": N + 1, "a_scale_stride_m": 1, "a_scale_stride_k": rows_a, "b_scale_stride_n": blocks, "b_scale_stride_k": 1, "n_blocks": blocks, "SCALE_M": scale_m, "SCALE_N": scale_n, "DEPTH": depth,
        "BLOCK_M": block_m, "BLOCK_N": block_n, "GROUP_M": 2, "HALVES": halves, "BY_DESCRIPTOR": by_descriptor}  # yapf: disable
    grid, sums = programs or cdiv(M, block_m * halves) * cdiv(N, block_n), np.full((2, M, N), 7.0, np.float32)
    launch(FILE, "fp8_matmul", given, grid=(grid, ), num_warps=num_warps)
    launch(FILE, "fp8_matmul", given | {"c_ptr": sums, "c_stride_m": N}, grid=(grid, 2), num_warps=num_warps)
    if by_descriptor:
        stride = cdiv(N, 8) * 8 + 8
        whole = empty_array((M, stride), dtype)
        launch(FILE, "fp8_matmul", given | {"c_ptr": whole.argument, "c_stride_m": stride, "STORE_BLOCKS": True}, grid=(grid, ), num_warps=num_warps)
        checks.expect(np.array_equal(whole.values[:, :N], c.values[:, :N]) and whole.untouched[:, N:].all(), what + ", stored by blocks")
        if scale_m == 1:
            stride = cdiv(rows_a, 4) * 4 + 4
            turned, again = np.full((blocks, stride), np.nan, np.float32), empty_array((M, N + 1), dtype)
            turned[:, :rows_a] = a_scale
            launch(FILE, "fp8_matmul", given | {"a_scale_ptr": turned, "a_scale_stride_k": stride, "c_ptr": again.argument, "SCALES_BY_DESCRIPTOR": True}, grid=(grid, ), num_warps=num_warps)
            checks.expect(np.array_equal(again.values[:, :N], c.values[:, :N]), what + ", scales by a descriptor")
    expected, size = np.zeros((M, N)), np.zeros((M, N))
    for j in range(blocks):
        depth_j = slice(j * depth, (j + 1) * depth)
        factor = a_scale[j].astype(np.float64).repeat(scale_m)[:M, None] * b_scale[:, j].astype(np.float64).repeat(scale_n)[None, :N]
        expected += factor * (a[:, depth_j] @ b[:, depth_j].T)
        size += factor * (abs(a[:, depth_j]) @ abs(b[:, depth_j]).T)
    # Tensor cores of a GPU add products of fp8 with about 14 bits.
    tolerance = TOLERANCE[dtype] + 2.0**-12
    error = abs(c.values[:, :N] - expected) - tolerance * (abs(expected) + size)
    checks.expect(error.size == 0 or error.max() <= 0, f"{what}: {error.max() if error.size else 0} too much")
    error = abs(sums.sum(axis=0, dtype=np.float64) - expected) - tolerance * (abs(expected) + size)
    checks.expect(error.size == 0 or error.max() <= 0, f"{what}, in shares: {error.max() if error.size else 0} too much")
    checks.expect(c.untouched[:, N].all(), what + ": nothing written past the end of a row")


for dtype in DTYPES:
    checks.run(f"fp8_matmul {dtype}", test, 40, 70, 300, dtype=dtype)
for kind in ("fp8e4nv", "fp8e5"):
    checks.run(f"fp8_matmul {kind}", test, 33, 150, 130, kind)
for scale_m, scale_n in ((1, 1), (128, 128), (1, 32), (128, 1), (16, 64)):
    checks.run(f"fp8_matmul scales of {scale_m} and {scale_n} rows", test, 150, 140, 140, scale_m=scale_m, scale_n=scale_n, depth=64)
checks.run("fp8_matmul by descriptors", test, 50, 90, 144, by_descriptor=True, depth=32, programs=3)
checks.run("fp8_matmul of a few programs", test, 50, 90, 140, programs=2, depth=32)
for scale_n in (1, 128):
    checks.run(f"fp8_matmul of halves, scales of {scale_n}", test, 40, 150, 140, scale_n=scale_n, halves=2)
checks.run("fp8_matmul of halves, a scale for the rows of a tile", test, 70, 150, 140, scale_m=32, block_m=32, halves=2)
checks.run("fp8_matmul of halves by descriptors", test, 40, 129, 144, by_descriptor=True, halves=2)
checks.run("fp8_matmul of halves by warps of two kinds", test, 300, 130, 272, "fp8e4nv", "bf16", block_m=128, block_n=128, by_descriptor=True, halves=2, num_warps=8)
checks.run("fp8_matmul of halves and a shallow depth", test, 300, 130, 16, "fp8e4nv", "fp32", block_m=128, block_n=128, by_descriptor=True, halves=2, programs=2, num_warps=8)
checks.run("fp8_matmul of codes", test, 20, 40, 140, as_codes=True)
for M, N, K in ((1, 1, 1), (16, 32, 128), (1, 200, 256), (0, 5, 40), (5, 0, 40), (5, 9, 0)):
    checks.run(f"fp8_matmul {M}x{N}x{K}", test, M, N, K)
checks.exit()

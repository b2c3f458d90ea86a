"""grouped_gemm and ragged_gemm against float64: groups of different sizes, empty ones, more programs than tiles and fewer."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, Expression, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(7)


def test(sizes, dtype, programs):
    what = f"grouped_gemm {sizes} {dtype} programs={programs}"
    a = [random_array(rng, (M, K), dtype) for M, N, K in sizes]
    b = [random_array(rng, (K, N), dtype) for M, N, K in sizes]
    c = [empty_array((M, N), dtype) for M, N, K in sizes]
    addresses = [np.array([each.data.ctypes.data for each in group], np.int64) for group in (a, b, c)]
    launch(kernel_file("grouped_gemm"), "grouped_gemm",
           {"a_addresses": addresses[0], "b_addresses": addresses[1], "c_addresses": addresses[2],
            "sizes_ptr": np.array(sizes, np.int32), "leading_ptr": np.array([(K, N, N) for M, N, K in sizes], np.int32),
            "n_groups": len(sizes), "ELEMENT": Expression({"fp32": "tl.float32", "fp16": "tl.float16", "bf16": "tl.bfloat16"}[dtype]),
            "BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 16, "PRECISION": "ieee"}, grid=(programs, ),
           reachable=[each.argument for each in a + b + c])
    for group, (M, N, K) in enumerate(sizes):
        checks.close(c[group].values, a[group].values @ b[group].values, f"{what}: group {group}", rtol=TOLERANCE[dtype],
                     atol=TOLERANCE[dtype] * K**0.5)


def test_ragged(ends, N, K, dtype, programs):
    what = f"ragged_gemm {ends} {N}x{K} {dtype} programs={programs}"
    a, b = random_array(rng, (ends[-1], K), dtype), random_array(rng, (len(ends), K, N), dtype)
    c = empty_array((ends[-1], N), dtype)
    launch(kernel_file("grouped_gemm"), "ragged_gemm",
           {"a_ptr": a.argument, "b_ptr": b.argument, "c_ptr": c.argument, "ends_ptr": np.array(ends, np.int32), "n_groups": len(ends), "N": N,
            "K": K, "BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 16, "PRECISION": "ieee"}, grid=(programs, ))
    expected = np.concatenate([a.values[start:end] @ b.values[group] for group, (start, end) in enumerate(zip([0, *ends], ends))])
    checks.close(c.values, expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * K**0.5)


def test_blocks(ends, N, K, dtype, programs, block, warps=4):
    what = f"ragged_gemm_of_blocks {ends} {N}x{K} {dtype} programs={programs} {block}"
    groups, rows = len(ends), ends[-1]
    a, b, c = random_array(rng, (rows, K), dtype), random_array(rng, (groups, K, N), dtype), empty_array((rows, N), dtype)
    tiles = np.full((1 + cdiv(rows, block[0]) + groups, 4), -1, np.int32)
    launch(kernel_file("grouped_gemm"), "ragged_tiles", {"ends_ptr": np.array(ends, np.int32), "tiles_ptr": tiles, "n_groups": groups, "BLOCK_M": block[0], "BLOCK_G": power_of_two(groups)}, grid=(groups, ))
    expected = [(group, row, end) for group, (start, end) in enumerate(zip([0, *ends], ends)) for row in range(start, end, block[0])]
    checks.expect(tiles[0, 0] == len(expected) and tiles[1:1 + len(expected), :3].tolist() == [list(each) for each in expected], what + ": tiles")
    launch(kernel_file("grouped_gemm"), "ragged_gemm_of_blocks",
           {"a_ptr": a.argument, "b_ptr": b.argument, "c_ptr": c.argument, "tiles_ptr": tiles, "rows": rows, "n_groups": groups, "N": N, "K": K, "BLOCK_M": block[0], "BLOCK_N": block[1], "BLOCK_K": block[2],
            "PRECISION": "ieee"}, grid=(programs, ), num_warps=warps)
    expected = np.concatenate([a.values[start:end] @ b.values[group] for group, (start, end) in enumerate(zip([0, *ends], ends))])
    checks.close(c.values, expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * K**0.5)


for dtype in DTYPES:
    checks.run(f"ragged_gemm_of_blocks {dtype}", test_blocks, [5, 5, 45, 46, 80], 40, 40, dtype, 3, (16, 32, 16))
    checks.run(f"ragged_gemm_of_blocks {dtype} one group", test_blocks, [33], 24, 8, dtype, 5, (32, 32, 32))
    checks.run(f"ragged_gemm_of_blocks {dtype}, parted", test_blocks, [0, 130, 135, 300], 136, 168, dtype, 2, (128, 128, 64), 8)
    checks.run(f"grouped_gemm {dtype}", test, [(33, 40, 17), (1, 1, 1), (16, 32, 64), (0, 7, 3), (50, 5, 30)], dtype, 3)
    checks.run(f"grouped_gemm {dtype} many programs", test, [(20, 20, 20), (7, 70, 9)], dtype, 20)
    checks.run(f"ragged_gemm {dtype}", test_ragged, [5, 5, 45, 46, 80], 40, 33, dtype, 3)
    checks.run(f"ragged_gemm {dtype} one group", test_ragged, [17], 5, 16, dtype, 7)
checks.exit()

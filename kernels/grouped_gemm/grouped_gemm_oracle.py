"""grouped_gemm against float64: groups of different sizes, more programs than tiles and fewer."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import TOLERANCE, Checks, Expression, empty_array, kernel_file, launch, np, random_array

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


for dtype in ("fp32", "fp16", "bf16"):
    checks.run(f"grouped_gemm {dtype}", test, [(33, 40, 17), (1, 1, 1), (16, 32, 64), (50, 5, 30)], dtype, 3)
    checks.run(f"grouped_gemm {dtype} many programs", test, [(20, 20, 20), (7, 70, 9)], dtype, 20)
checks.exit()

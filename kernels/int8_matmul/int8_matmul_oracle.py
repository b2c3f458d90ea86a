"""int8_matmul against integers: exact sums up to the largest, scaled results, transposed operands, tails."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(19)


def run(a, b, a_scale, b_scale, c, M, N, K, strides):
    names = ("a_stride_m", "a_stride_k", "b_stride_k", "b_stride_n")
    launch(kernel_file("int8_matmul"), "int8_matmul",
           {"a_ptr": a, "b_ptr": b, "a_scale_ptr": a_scale, "b_scale_ptr": b_scale, "c_ptr": c, "M": M, "N": N, "K": K,
            **dict(zip(names, strides)), "c_stride_m": N, "c_stride_n": 1, "BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 32},
           grid=(cdiv(M, 16) * cdiv(N, 32), ))


def test(M, N, K, transposed, extreme):
    what = f"int8_matmul {M}x{N}x{K} transposed={transposed} extreme={extreme}"
    a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in (((K, M), (N, K)) if transposed else ((M, K), (K, N))))
    if extreme:
        a[...], b[...] = -128, -128
    strides = (1, M, 1, K) if transposed else (K, 1, N, 1)
    exact = (a.T if transposed else a).astype(np.int64) @ (b.T if transposed else b).astype(np.int64)
    c = np.zeros((M, N), np.int32)
    run(a, b, None, None, c, M, N, K, strides)
    checks.equal(c, exact, what)
    a_scale, b_scale = rng.uniform(0.01, 0.1, M).astype(np.float32), rng.uniform(0.01, 0.1, N).astype(np.float32)
    for dtype in DTYPES:
        scaled = empty_array((M, N), dtype)
        run(a, b, a_scale, b_scale, scaled.argument, M, N, K, strides)
        expected = exact * a_scale[:, None].astype(np.float64) * b_scale
        checks.close(scaled.values, expected, f"{what} scaled to {dtype}", rtol=TOLERANCE[dtype], atol=1e-6)


for M, N, K in ((33, 17, 65), (1, 1, 1), (16, 64, 32), (50, 31, 200), (0, 5, 3)):
    for transposed in (False, True):
        checks.run(f"int8_matmul {M}x{N}x{K}", test, M, N, K, transposed, False)
checks.run("int8_matmul extreme", test, 20, 20, 300, False, True)
checks.exit()

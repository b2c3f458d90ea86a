"""lora, shrink and expand, against float64: segments of one row and of many, empty ones, ones without an adapter, odd sizes."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array

checks = Checks()
rng = np.random.default_rng(50)
FILE = kernel_file("lora")


def test(lengths, adapters, N, K, dtype, add, count=3):
    what = f"lora {lengths} {adapters} {N}x{K} {dtype} add={add}"
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    rows = int(starts[-1])
    x, w = random_array(rng, (rows, K + 3), dtype), random_array(rng, (count, N, K), dtype)
    y = random_array(rng, (rows, N + 1), dtype) if add else empty_array((rows, N + 1), dtype)
    before = y.values.copy()
    (launch_once if add else launch)(FILE, "lora", {
        "x_ptr": x.argument, "w_ptr": w.argument, "starts_ptr": starts, "adapters_ptr": np.array(adapters, np.int32), "y_ptr": y.argument, "scale": 0.5, "x_row_stride": K + 3,
        "w_stride_n": N * K, "w_row_stride": K, "y_row_stride": N + 1, "N": N, "K": K, "ADD": add, "BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 32, "PRECISION": "ieee"},
        grid=(cdiv(N, 16), max(cdiv(max(lengths, default=0), 16), 1), len(lengths)))
    expected = before[:, :N] if add else np.zeros((rows, N))
    for start, end, adapter in zip(starts, starts[1:], adapters):
        if adapter >= 0:
            expected[start:end] += 0.5 * x.values[start:end, :K] @ w.values[adapter].T
    checks.close(y.values[:, :N], expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * max(K, 1)**0.5)
    checks.equal(y.values[:, N], before[:, N], what + ": nothing written past the end of a row")


for dtype in DTYPES:
    for add in (False, True):
        checks.run(f"lora {dtype} {add}", test, (5, 1, 0, 37, 1, 16), (0, 2, 1, 2, -1, 0), 20, 70, dtype, add)
        checks.run(f"lora of single rows {dtype} {add}", test, (1, ) * 7, (0, 1, 2, -1, 2, 1, 0), 33, 16, dtype, add)
checks.run("lora of nothing", test, (), (), 16, 16, "fp32", False)
checks.run("lora without depth", test, (3, 4), (1, 0), 16, 0, "fp32", False)
checks.exit()

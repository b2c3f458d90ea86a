"""histogram against numpy: integers of several types, floats with what lies outside and at the edges, NaN, one bin, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, cdiv, kernel_file, launch, np, power_of_two

checks = Checks()
rng = np.random.default_rng(37)
FILE = kernel_file("histogram")


def counted(x, n, bins, low=0.0, high=1.0, programs=3):
    partial, total = np.full((programs, bins), -1, np.int32), np.full(bins, -1, np.int32)
    launch(FILE, "histogram", {"x_ptr": x, "partial_ptr": partial, "n": n, "bins": bins, "low": low, "high": high, "BINS": power_of_two(bins + 1), "BLOCK": 32},
           grid=(programs, ))
    launch(kernel_file("reduce"), "reduce_columns", {"x_ptr": partial, "out_ptr": total, "x_row_stride": bins, "n_rows": programs, "n_columns": bins, "KIND": "sum",
                                                     "BLOCK_ROWS": 4, "BLOCK_COLUMNS": 16}, grid=(cdiv(bins, 16), ))
    return total


def test_integers(n, bins, dtype):
    x = rng.integers(0 if dtype == "uint8" else -2, bins + 2, n).astype(dtype)
    expected = np.bincount(x[(x >= 0) & (x < bins)], minlength=bins)
    checks.equal(counted(x, n, bins), expected, f"histogram of {n} {dtype} in {bins}")


def test_floats(n, bins, low, high, dtype):
    x = Array(rng.uniform(low - 1, high + 1, n), dtype)
    if n > 4:
        x.data[:3] = Array(np.array([low, high, np.nan]), dtype).data
    values = x.values
    place = np.floor((values.astype(np.float32) - np.float32(low)) / np.float32(high - low) * np.float32(bins))
    inside = (values >= low) & (values <= high)
    expected = np.bincount(np.minimum(place[inside], bins - 1).astype(int), minlength=bins)
    actual = counted(x.argument, n, bins, low, high)
    checks.equal(actual.sum(), inside.sum(), f"histogram of {n} {dtype}: all that is inside")
    checks.expect(np.abs(actual - expected).sum() <= 2 + n // 100, f"histogram of {n} {dtype} in {bins}: {actual}, expected {expected}")  # the edge of a bin


for dtype in ("int32", "int64", "uint8"):
    for n, bins in ((300, 10), (100, 63), (50, 1), (0, 5)):
        checks.run(f"histogram of {n} {dtype}", test_integers, n, bins, dtype)
for dtype in DTYPES:
    for n, bins, low, high in ((400, 8, -1.0, 3.0), (100, 31, 0.0, 1.0), (0, 4, 0.0, 1.0)):
        checks.run(f"histogram of {n} {dtype}", test_floats, n, bins, low, high, dtype)
checks.exit()

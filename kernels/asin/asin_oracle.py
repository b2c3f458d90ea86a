"""asin against float64, outside its domain too."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(9)


def test(n, dtype):
    x = rng.uniform(-1.1, 1.1, n).astype(dtype)
    x[:3] = [1, -1, 0]
    out = np.zeros(n, dtype)
    launch(kernel_file("asin"), "asin", {"x_ptr": x, "out_ptr": out, "n": n, "BLOCK": 64}, grid=(-(-n // 64), ))
    with np.errstate(invalid="ignore"):
        expected = np.arcsin(x.astype(np.float64))
    checks.close(out, expected, f"asin n={n} {dtype}", rtol=1e-6 if dtype == "float32" else 1e-14)


for n in (3, 64, 333):
    for dtype in ("float32", "float64"):
        checks.run(f"asin n={n} {dtype}", test, n, dtype)
checks.exit()

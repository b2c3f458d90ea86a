"""vector_add against numpy, for every element type and lengths around the block size."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(1)


def test(n, dtype):
    x = rng.uniform(0, 60, n).astype(dtype)  # the sum fits into every type: the checker reports overflow
    y = rng.uniform(0, 60, n).astype(dtype)
    out = np.zeros(n + 8, dtype)
    launch(kernel_file("vector_add"), "vector_add", {"x_ptr": x, "y_ptr": y, "out_ptr": out, "n": n, "BLOCK": 128}, grid=(-(-n // 128), ))
    checks.equal(out[:n], x + y, f"vector_add n={n} {dtype}")
    checks.equal(out[n:], np.zeros(8, dtype), f"vector_add n={n} {dtype}: nothing written past the end")


for n in (1, 127, 128, 129, 1000):
    for dtype in ("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8"):
        checks.run(f"vector_add n={n} {dtype}", test, n, dtype)
checks.exit()

"""strided_copy against numpy: permuted, sliced and broadcast inputs, strided outputs, conversion, nothing at all."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import Checks, cdiv, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(12)


def strides(array):
    return [stride // array.itemsize for stride in array.strides]


def test(what, x, x_base, out, out_base, expected, blocks=(4, 32)):
    """x and out are views of x_base and out_base that start at their first element."""
    rows = x.shape[0] * x.shape[1] * x.shape[2]
    names = [f"{side}_stride_{axis}" for side in ("x", "out") for axis in range(4)]
    launch(kernel_file("strided_copy"), "strided_copy",
           {"x_ptr": x_base, "out_ptr": out_base, "n_rows": rows, "n1": x.shape[1], "n2": x.shape[2], "n3": x.shape[3],
            **dict(zip(names, strides(x) + strides(out))), "BLOCK_ROWS": blocks[0], "BLOCK_COLUMNS": blocks[1]},
           grid=(cdiv(rows, blocks[0]), cdiv(x.shape[3], blocks[1])))
    checks.equal(out, expected, what)


def test_permuted(axes, dtype):
    base = rng.integers(0, 100, (3, 5, 7, 11)).astype(dtype)
    x = base.transpose(axes)
    out = np.zeros(x.shape, dtype)
    test(f"permuted {axes} {dtype}", x, base, out, out, x)


def test_sliced():
    base, out_base = rng.standard_normal((4, 6, 10, 40)).astype(np.float32), np.full((2, 3, 5, 50), 9, np.float32)
    x, out = base[::2, ::2, ::2, ::3], out_base[:, :, :, :14]
    test("sliced", x, base, out, out_base, x)
    checks.expect((out_base[:, :, :, 14:] == 9).all(), "sliced: nothing written between the rows")


def test_broadcast():
    base = rng.standard_normal(100).astype(np.float32)
    x = np.broadcast_to(base, (2, 3, 4, 100))
    out = np.zeros(x.shape, np.float32)
    test("broadcast", x, base, out, out, x)


def test_converted(source, target):
    x = rng.integers(0, 100, (1, 2, 3, 70)).astype(source)
    out = np.zeros(x.shape, target)
    test(f"{source} to {target}", x, x, out, out, x.astype(target), blocks=(1, 64))


def test_empty(shape):
    x, out = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    test(f"shape {shape}", x, x, out, out, x)


for dtype in ("float32", "int8", "float16"):
    for axes in ((0, 1, 2, 3), (3, 2, 1, 0), (0, 2, 1, 3), (1, 0, 3, 2)):
        checks.run(f"permuted {axes}", test_permuted, axes, dtype)
checks.run("sliced", test_sliced)
checks.run("broadcast", test_broadcast)
for source, target in (("float32", "float16"), ("int8", "float32"), ("float64", "float32"), ("float32", "int32")):
    checks.run(f"{source} to {target}", test_converted, source, target)
for shape in ((0, 2, 2, 2), (2, 2, 2, 0), (1, 1, 1, 1)):
    checks.run(f"shape {shape}", test_empty, shape)
checks.exit()

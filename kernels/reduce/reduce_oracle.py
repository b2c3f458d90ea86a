"""reduce against numpy: rows and columns, floats and integers, ties, NaN, strides, rows that fill no block or many."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(10)
FILE = kernel_file("reduce")
REFERENCE = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
SHAPES = ((7, 100, 3), (1, 1, 0), (5, 64, 0), (4, 333, 5))


def reduce_rows(x, out, rows, columns, padding, kind, block=64):
    launch(FILE, "reduce_rows", {"x_ptr": x, "out_ptr": out, "x_row_stride": columns + padding, "n_columns": columns, "KIND": kind,
                                 "BLOCK": block}, grid=(rows, ))


def reduce_columns(x, out, rows, columns, padding, kind):
    launch(FILE, "reduce_columns", {"x_ptr": x, "out_ptr": out, "x_row_stride": columns + padding, "n_rows": rows, "n_columns": columns,
                                    "KIND": kind, "BLOCK_ROWS": 4, "BLOCK_COLUMNS": 32}, grid=(cdiv(columns, 32), ))


def test_floats(rows, columns, padding, kind, dtype):
    what = f"reduce {kind} {rows}x{columns} {dtype}"
    x = random_array(rng, (rows, columns + padding), dtype)
    values, tolerance = x.values[:, :columns], TOLERANCE[dtype]
    for axis, length, run in ((1, rows, reduce_rows), (0, columns, reduce_columns)):
        out = empty_array(length + 3, dtype)
        run(x.argument, out.argument, rows, columns, padding, kind)
        checks.close(out.values[:length], REFERENCE[kind](values, axis=axis), f"{what} axis={axis}", rtol=tolerance, atol=tolerance * 5)
        checks.expect(out.untouched[length:].all(), f"{what} axis={axis}: nothing written past the end")


def test_integers(kind, dtype):
    x = rng.integers(-60, 60, (9, 70)).astype(dtype)
    for axis, length, run in ((1, 9, reduce_rows), (0, 70, reduce_columns)):
        out = np.zeros(length, np.int64 if dtype == "int64" else np.int32)
        run(x, out, 9, 70, 0, kind)
        checks.equal(out, REFERENCE[kind](x.astype(np.int64), axis=axis), f"reduce {kind} {dtype} axis={axis}")


def arg_rows(x, out, columns, stride, kind, block=64):
    launch(FILE, "arg_rows", {"x_ptr": x, "out_ptr": out, "x_row_stride": stride, "n_columns": columns, "KIND": kind, "BLOCK": block},
           grid=(len(out), ))


def test_arg(rows, columns, padding, kind, dtype):
    x = random_array(rng, (rows, columns + padding), dtype)
    x.data[:, columns // 2] = x.data[:, 0]  # ties
    out = np.zeros(rows, np.int64)
    arg_rows(x.argument, out, columns, columns + padding, kind)
    checks.equal(out, {"max": np.argmax, "min": np.argmin}[kind](x.values[:, :columns], axis=1), f"arg{kind} {rows}x{columns} {dtype}")


def test_arg_special(kind):
    values = np.array([[5, 5, 5, 5], [np.nan, 1, 2, 1], [1, 2, np.nan, 1], [np.nan] * 4, [-np.inf, np.inf, -np.inf, np.inf]], np.float32)
    out = np.zeros(5, np.int32)
    arg_rows(values, out, 4, 4, kind, block=2)
    checks.equal(out, {"max": [0, 2, 1, 0, 1], "min": [0, 1, 0, 0, 0]}[kind], f"arg{kind} of ties, NaN and infinities")
    integers = rng.integers(-100, 100, (6, 90)).astype(np.int8)
    out = np.zeros(6, np.int32)
    arg_rows(integers, out, 90, 90, kind)
    checks.equal(out, {"max": np.argmax, "min": np.argmin}[kind](integers, axis=1), f"arg{kind} int8")


def test_variance(kernel, rows, columns, padding, dtype, offset, correction):
    what = f"{kernel} {rows}x{columns} {dtype} offset={offset} correction={correction}"
    x = random_array(rng, (rows, columns + padding), dtype)
    x = type(x)(x.values + offset, dtype)
    mean, variance = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    launch(FILE, kernel, {"x_ptr": x.argument, "mean_ptr": mean, "variance_ptr": variance, "x_row_stride": columns + padding,
                          "n_columns": columns, "correction": correction, "BLOCK": 32}, grid=(rows, ))
    values = x.values[:, :columns]
    checks.close(mean, values.mean(axis=1), what + ": mean", rtol=1e-6, atol=1e-6)
    checks.close(variance, values.var(axis=1, ddof=correction), what + ": variance", rtol=2e-5, atol=1e-6)


for rows, columns, padding in SHAPES:
    for dtype in DTYPES:
        for kind in ("sum", "max", "min"):
            checks.run(f"reduce {kind} {rows}x{columns} {dtype}", test_floats, rows, columns, padding, kind, dtype)
        for kind in ("max", "min"):
            checks.run(f"arg{kind} {rows}x{columns} {dtype}", test_arg, rows, columns, padding, kind, dtype)
        for kernel in ("variance_rows", "welford_rows"):
            checks.run(f"{kernel} {dtype}", test_variance, kernel, rows, columns, padding, dtype, 0.5, 0)
for kernel in ("variance_rows", "welford_rows"):
    checks.run(f"{kernel} far from 0", test_variance, kernel, 3, 500, 0, "fp32", 1000.0, 1)
for kind in ("sum", "max", "min"):
    for dtype in ("int8", "int16", "int32", "int64"):
        checks.run(f"reduce {kind} {dtype}", test_integers, kind, dtype)
for kind in ("max", "min"):
    checks.run(f"arg{kind} special", test_arg_special, kind)
checks.run("sum of nothing", test_floats, 3, 0, 4, "sum", "fp32")
checks.run("sum of no rows", test_floats, 0, 5, 0, "sum", "fp32")
checks.exit()

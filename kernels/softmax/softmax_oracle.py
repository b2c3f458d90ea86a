"""softmax against float64, of rows, online and of columns, log_softmax and sparsemax: tails, strides, large values, -inf, nothing at all."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(2)


def reference(x, axis):
    exponential = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponential / exponential.sum(axis=axis, keepdims=True)


def test(kernel, rows, columns, padding, dtype, scale):
    what = f"{kernel} {rows}x{columns} {dtype} scale={scale}"
    x = random_array(rng, (rows, columns + padding), dtype, scale)
    if columns > 70 and dtype == "fp32":
        x.data[0, :65] = -np.inf  # a whole block of them
    out = empty_array((rows, columns + padding + 1), dtype)
    arguments = {"x_ptr": x.argument, "out_ptr": out.argument, "x_row_stride": columns + padding, "out_row_stride": columns + padding + 1,
                 "n_columns": columns, "CACHE": ".cs" if padding else ""}
    if kernel == "softmax_columns":
        arguments |= {"n_rows": rows, "BLOCK_ROWS": 4, "BLOCK_COLUMNS": 32}
        launch(kernel_file("softmax"), kernel, arguments, grid=(cdiv(columns, 32), ))
    else:
        arguments["BLOCK"] = power_of_two(columns) if kernel == "softmax" else 64
        launch(kernel_file("softmax"), kernel, arguments, grid=(rows, ))
    if rows and columns:
        expected = reference(x.values[:, :columns], 0 if kernel == "softmax_columns" else 1)
        checks.close(out.values[:, :columns], expected, what, rtol=TOLERANCE[dtype], atol=1e-6)
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


def simplex(x):
    """The nearest points of the simplex, by sorting."""
    ordered = -np.sort(-x, axis=1)
    sums = np.cumsum(ordered, axis=1) - 1
    number = (ordered * np.arange(1, x.shape[1] + 1) > sums).sum(axis=1)
    return np.maximum(x - (sums[np.arange(len(x)), number - 1] / number)[:, None], 0)


def test_other(kernel, rows, columns, padding, dtype, scale=1.0):
    what = f"{kernel} {rows}x{columns} {dtype} scale={scale}"
    x, out = random_array(rng, (rows, columns + padding), dtype, scale), empty_array((rows, columns + 1), dtype)
    launch(kernel_file("softmax"), kernel, {"x_ptr": x.argument, "out_ptr": out.argument, "x_row_stride": columns + padding, "out_row_stride": columns + 1, "n_columns": columns, "BLOCK": 64}, grid=(rows, ))
    values = x.values[:, :columns]
    expected = (np.log(reference(values, 1)) if kernel == "log_softmax" else simplex(values)) if rows else np.zeros((0, columns))
    checks.close(out.values[:, :columns], expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")
    grad_out, grad_x = random_array(rng, (rows, columns + 2), dtype), empty_array((rows, columns + 3), dtype)
    launch(kernel_file("softmax"), f"{kernel}_backward", {"grad_out_ptr": grad_out.argument, "out_ptr": out.argument, "grad_x_ptr": grad_x.argument, "grad_out_row_stride": columns + 2,
                                                          "out_row_stride": columns + 1, "grad_x_row_stride": columns + 3, "n_columns": columns, "BLOCK": 64}, grid=(rows, ))
    found, g = out.values[:, :columns], grad_out.values[:, :columns]
    if kernel == "log_softmax":
        back = g - np.exp(found) * g.sum(axis=1, keepdims=True)
    else:
        back = np.where(found > 0, g - np.where(found > 0, g, 0).sum(axis=1, keepdims=True) / np.maximum((found > 0).sum(axis=1, keepdims=True), 1), 0)
    checks.close(grad_x.values[:, :columns], back, what + ": gradient", rtol=TOLERANCE[dtype], atol=2 * TOLERANCE[dtype])


def test_backward(rows, columns, padding, dtype):
    what, tolerance = f"softmax_backward {rows}x{columns} {dtype}", TOLERANCE[dtype]
    out = Array(np.pad(reference(rng.standard_normal((rows, columns)), 1), ((0, 0), (0, padding))) if rows else np.zeros((0, columns + padding)), dtype)
    grad_out, grad_x = random_array(rng, (rows, columns + 2 * padding), dtype), empty_array((rows, columns + 1), dtype)
    launch(kernel_file("softmax"), "softmax_backward", {"grad_out_ptr": grad_out.argument, "out_ptr": out.argument, "grad_x_ptr": grad_x.argument,
                                                        "grad_out_row_stride": columns + 2 * padding, "out_row_stride": columns + padding,
                                                        "grad_x_row_stride": columns + 1, "n_columns": columns, "BLOCK": 64}, grid=(rows, ))
    p, g = out.values[:, :columns], grad_out.values[:, :columns]
    checks.close(grad_x.values[:, :columns], p * (g - (p * g).sum(axis=1, keepdims=True)), what, rtol=tolerance, atol=tolerance * 0.1)
    checks.expect(grad_x.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


for dtype in DTYPES:
    for kernel in ("log_softmax", "sparsemax"):
        for rows, columns, padding in ((7, 100, 3), (1, 1, 0), (4, 333, 5), (0, 9, 0)):
            checks.run(f"{kernel} {rows}x{columns} {dtype}", test_other, kernel, rows, columns, padding, dtype)
        checks.run(f"{kernel}, far apart {dtype}", test_other, kernel, 3, 70, 0, dtype, 0.01 if kernel == "sparsemax" else 20.0)
for dtype in DTYPES:
    for rows, columns, padding in ((7, 100, 3), (1, 1, 0), (5, 64, 0), (4, 333, 5), (0, 9, 0)):
        checks.run(f"softmax_backward {rows}x{columns} {dtype}", test_backward, rows, columns, padding, dtype)
for kernel in ("softmax", "softmax_online", "softmax_columns"):
    for dtype in DTYPES:
        for rows, columns, padding in ((7, 100, 3), (1, 1, 0), (5, 64, 0), (4, 333, 5), (33, 40, 1)):
            for scale in (1.0, 40.0):
                checks.run(f"{kernel} {rows}x{columns} {dtype}", test, kernel, rows, columns, padding, dtype, scale)
    checks.run(f"{kernel} of no rows", test, kernel, 0, 5, 2, "fp32", 1.0)
checks.run("softmax_online of no columns", test, "softmax_online", 3, 0, 2, "fp32", 1.0)
checks.exit()

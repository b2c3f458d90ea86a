"""rms_norm forward and backward against float64: rows in one block and in many, strides."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(13)
EPS = 1e-6


def factor_of(x):
    return 1 / np.sqrt((x**2).mean(axis=1, keepdims=True) + EPS)


def test_forward(kernel, rows, columns, padding, dtype):
    what, tolerance = f"{kernel} {rows}x{columns} {dtype}", TOLERANCE[dtype]
    x, weight = random_array(rng, (rows, columns + padding), dtype, 3), random_array(rng, columns, dtype)
    out, rstd = empty_array((rows, columns + 2 * padding), dtype), np.zeros(rows, np.float32)
    launch(kernel_file("rms_norm"), kernel,
           {"x_ptr": x.argument, "weight_ptr": weight.argument, "out_ptr": out.argument, "rstd_ptr": rstd, "x_row_stride": columns + padding,
            "out_row_stride": columns + 2 * padding, "n_columns": columns, "eps": EPS,
            "BLOCK": 64 if kernel.endswith("long") else power_of_two(columns)}, grid=(rows, ))
    values = x.values[:, :columns]
    factor = factor_of(values)
    checks.close(rstd, factor[:, 0], what + ": rstd", rtol=1e-5)
    checks.close(out.values[:, :columns], values * factor * weight.values, what, rtol=tolerance, atol=tolerance)
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


def test_backward(rows, columns, padding, dtype, programs=3):
    what, tolerance = f"rms_norm_backward {rows}x{columns} {dtype}", TOLERANCE[dtype]
    x, grad_out = random_array(rng, (rows, columns + padding), dtype, 3), random_array(rng, (rows, columns), dtype)
    weight, grad_x = random_array(rng, columns, dtype), empty_array((rows, columns + padding), dtype)
    factor = factor_of(x.values[:, :columns])
    partial, total = np.zeros((programs, columns), np.float32), np.zeros(columns, np.float32)
    launch(kernel_file("rms_norm"), "rms_norm_backward",
           {"grad_out_ptr": grad_out.argument, "x_ptr": x.argument, "weight_ptr": weight.argument, "rstd_ptr": factor[:, 0].astype(np.float32),
            "grad_x_ptr": grad_x.argument, "partial_weight_ptr": partial, "grad_out_row_stride": columns, "x_row_stride": columns + padding,
            "grad_x_row_stride": columns + padding, "n_rows": rows, "n_columns": columns, "BLOCK": power_of_two(columns)}, grid=(programs, ))
    launch(kernel_file("reduce"), "reduce_columns",
           {"x_ptr": partial, "out_ptr": total, "x_row_stride": columns, "n_rows": programs, "n_columns": columns, "KIND": "sum",
            "BLOCK_ROWS": 4, "BLOCK_COLUMNS": 32}, grid=(cdiv(columns, 32), ))
    normal, scaled = x.values[:, :columns] * factor, grad_out.values * weight.values
    expected = factor * (scaled - normal * (normal * scaled).mean(axis=1, keepdims=True))
    checks.close(grad_x.values[:, :columns], expected, what + ": grad_x", rtol=tolerance, atol=tolerance)
    checks.close(total, (grad_out.values * normal).sum(axis=0), what + ": grad_weight", rtol=1e-4, atol=1e-4)


for dtype in DTYPES:
    for rows, columns, padding in ((5, 100, 3), (1, 3, 0), (7, 64, 0), (11, 257, 1)):
        for kernel in ("rms_norm_forward", "rms_norm_forward_long"):
            checks.run(f"{kernel} {rows}x{columns} {dtype}", test_forward, kernel, rows, columns, padding, dtype)
        checks.run(f"rms_norm_backward {rows}x{columns} {dtype}", test_backward, rows, columns, padding, dtype)
checks.run("rms_norm of no rows", test_forward, "rms_norm_forward", 0, 5, 0, "fp32")
checks.exit()

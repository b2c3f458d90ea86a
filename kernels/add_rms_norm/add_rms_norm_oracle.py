"""add_rms_norm forward and backward against float64: rows in one block and in many, strides, with and without a gradient of the sum."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(26)
FILE, EPS = kernel_file("add_rms_norm"), 1e-6


def test_forward(kernel, rows, columns, padding, dtype):
    what, tolerance = f"{kernel} {rows}x{columns} {dtype}", TOLERANCE[dtype]
    x, residual = (random_array(rng, (rows, columns + padding), dtype, 3) for _ in range(2))
    weight, rstd = random_array(rng, columns, dtype), np.zeros(rows, np.float32)
    out, total = (empty_array((rows, columns + 2 * padding), dtype) for _ in range(2))
    launch(FILE, kernel, {"x_ptr": x.argument, "residual_ptr": residual.argument, "weight_ptr": weight.argument, "out_ptr": out.argument, "sum_ptr": total.argument,
                          "rstd_ptr": rstd, "x_row_stride": columns + padding, "residual_row_stride": columns + padding, "out_row_stride": columns + 2 * padding,
                          "sum_row_stride": columns + 2 * padding, "n_columns": columns, "eps": EPS,
                          "BLOCK": 64 if kernel.endswith("long") else power_of_two(columns)}, grid=(rows, ))
    expected = Array((x.values + residual.values)[:, :columns], dtype).values
    checks.equal(total.values[:, :columns], expected, what + ": sum")
    factor = 1 / np.sqrt((expected**2).mean(axis=1, keepdims=True) + EPS)
    checks.close(rstd, factor[:, 0], what + ": rstd", rtol=1e-5)
    checks.close(out.values[:, :columns], expected * factor * weight.values, what, rtol=tolerance, atol=tolerance)
    checks.expect(out.untouched[:, columns:].all() and total.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


def test_backward(rows, columns, padding, dtype, with_sum, programs=3):
    what, tolerance = f"add_rms_norm_backward {rows}x{columns} {dtype}", TOLERANCE[dtype]
    total, grad_sum = (random_array(rng, (rows, columns + padding), dtype, 2) for _ in range(2))
    grad_out, weight, grad = random_array(rng, (rows, columns), dtype), random_array(rng, columns, dtype), empty_array((rows, columns + padding), dtype)
    values = total.values[:, :columns]
    factor = 1 / np.sqrt((values**2).mean(axis=1, keepdims=True) + EPS)
    partial, grad_weight = np.zeros((programs, columns), np.float32), np.zeros(columns, np.float32)
    launch(FILE, "add_rms_norm_backward",
           {"grad_out_ptr": grad_out.argument, "grad_sum_ptr": grad_sum.argument if with_sum else None, "sum_ptr": total.argument, "weight_ptr": weight.argument,
            "rstd_ptr": factor[:, 0].astype(np.float32), "grad_ptr": grad.argument, "partial_weight_ptr": partial, "grad_out_row_stride": columns,
            "grad_sum_row_stride": columns + padding, "sum_row_stride": columns + padding, "grad_row_stride": columns + padding, "n_rows": rows,
            "n_columns": columns, "BLOCK": power_of_two(columns)}, grid=(programs, ))
    launch(kernel_file("reduce"), "reduce_columns",
           {"x_ptr": partial, "out_ptr": grad_weight, "x_row_stride": columns, "n_rows": programs, "n_columns": columns, "KIND": "sum",
            "BLOCK_ROWS": 4, "BLOCK_COLUMNS": 32}, grid=(cdiv(columns, 32), ))
    normal, scaled = values * factor, grad_out.values * weight.values
    expected = factor * (scaled - normal * (normal * scaled).mean(axis=1, keepdims=True)) + (grad_sum.values[:, :columns] if with_sum else 0)
    checks.close(grad.values[:, :columns], expected, what + ": grad", rtol=tolerance, atol=tolerance)
    checks.close(grad_weight, (grad_out.values * normal).sum(axis=0), what + ": grad_weight", rtol=1e-4, atol=1e-4)


for dtype in DTYPES:
    for rows, columns, padding in ((5, 100, 3), (1, 3, 0), (7, 64, 0), (11, 257, 1)):
        for kernel in ("add_rms_norm_forward", "add_rms_norm_forward_long"):
            checks.run(f"{kernel} {rows}x{columns} {dtype}", test_forward, kernel, rows, columns, padding, dtype)
        for with_sum in (False, True):
            checks.run(f"add_rms_norm_backward {rows}x{columns} {dtype}", test_backward, rows, columns, padding, dtype, with_sum)
checks.run("add_rms_norm of no rows", test_forward, "add_rms_norm_forward", 0, 5, 0, "fp32")
checks.exit()

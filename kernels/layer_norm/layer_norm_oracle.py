"""layer_norm forward and backward against float64: rows in one block and in many, strides, with and without bias."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(5)
EPS = 1e-5


def normalized(x):
    centred = x - x.mean(axis=1, keepdims=True)
    factor = 1 / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPS)
    return centred * factor, factor


def test_forward(kernel, rows, columns, padding, dtype, has_bias):
    what, tolerance = f"{kernel} {rows}x{columns} {dtype} bias={has_bias}", TOLERANCE[dtype]
    x = random_array(rng, (rows, columns + padding), dtype, 3)
    weight, bias = random_array(rng, columns, dtype), random_array(rng, columns, dtype)
    out = empty_array((rows, columns + 2 * padding), dtype)
    mean, rstd = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    launch(kernel_file("layer_norm"), kernel,
           {"x_ptr": x.argument, "weight_ptr": weight.argument, "bias_ptr": bias.argument if has_bias else None, "out_ptr": out.argument,
            "mean_ptr": mean, "rstd_ptr": rstd, "x_row_stride": columns + padding, "out_row_stride": columns + 2 * padding,
            "n_columns": columns, "eps": EPS, "BLOCK": 64 if kernel.endswith("long") else power_of_two(columns)}, grid=(rows, ))
    normal, factor = normalized(x.values[:, :columns])
    checks.close(mean, x.values[:, :columns].mean(axis=1), what + ": mean", rtol=1e-5, atol=1e-5)
    checks.close(rstd, factor[:, 0], what + ": rstd", rtol=1e-5)
    expected = normal * weight.values + (bias.values if has_bias else 0)
    checks.close(out.values[:, :columns], expected, what, rtol=tolerance, atol=tolerance)
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


def test_backward(rows, columns, padding, dtype, programs=3):
    what, tolerance = f"layer_norm_backward {rows}x{columns} {dtype}", TOLERANCE[dtype]
    x, grad_out = random_array(rng, (rows, columns + padding), dtype, 3), random_array(rng, (rows, columns), dtype)
    weight, grad_x = random_array(rng, columns, dtype), empty_array((rows, columns + padding), dtype)
    normal, factor = normalized(x.values[:, :columns])
    mean, rstd = x.values[:, :columns].mean(axis=1).astype(np.float32), factor[:, 0].astype(np.float32)
    partials = [np.zeros((programs, columns), np.float32) for _ in range(2)]
    launch(kernel_file("layer_norm"), "layer_norm_backward",
           {"grad_out_ptr": grad_out.argument, "x_ptr": x.argument, "weight_ptr": weight.argument, "mean_ptr": mean, "rstd_ptr": rstd,
            "grad_x_ptr": grad_x.argument, "partial_weight_ptr": partials[0], "partial_bias_ptr": partials[1], "grad_out_row_stride": columns,
            "x_row_stride": columns + padding, "grad_x_row_stride": columns + padding, "n_rows": rows, "n_columns": columns,
            "BLOCK": power_of_two(columns)}, grid=(programs, ))
    scaled = grad_out.values * weight.values
    expected = factor * (scaled - normal * (normal * scaled).mean(axis=1, keepdims=True) - scaled.mean(axis=1, keepdims=True))
    checks.close(grad_x.values[:, :columns], expected, what + ": grad_x", rtol=tolerance, atol=tolerance)
    for name, partial, expected in zip(("weight", "bias"), partials, (grad_out.values * normal, grad_out.values)):
        total = np.zeros(columns, np.float32)
        launch(kernel_file("reduce"), "reduce_columns",
               {"x_ptr": partial, "out_ptr": total, "x_row_stride": columns, "n_rows": programs, "n_columns": columns, "KIND": "sum",
                "BLOCK_ROWS": 4, "BLOCK_COLUMNS": 32}, grid=(cdiv(columns, 32), ))
        checks.close(total, expected.sum(axis=0), f"{what}: grad_{name}", rtol=1e-4, atol=1e-4)


for dtype in DTYPES:
    for rows, columns, padding in ((5, 100, 3), (1, 3, 0), (7, 64, 0), (11, 257, 1)):
        for kernel in ("layer_norm_forward", "layer_norm_forward_long"):
            checks.run(f"{kernel} {rows}x{columns} {dtype}", test_forward, kernel, rows, columns, padding, dtype, rows != 7)
        checks.run(f"layer_norm_backward {rows}x{columns} {dtype}", test_backward, rows, columns, padding, dtype)
checks.run("layer_norm of no rows", test_forward, "layer_norm_forward", 0, 5, 0, "fp32", True)
checks.exit()

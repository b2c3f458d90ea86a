"""dynamic_tanh and its gradients against float64: types, strides, with and without a bias, rows of several blocks, more programs than rows, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(70)
FILE = kernel_file("dynamic_tanh")


def test(rows, columns, dtype, with_bias=True, programs=3):
    what, tolerance = f"dynamic_tanh {rows}x{columns} {dtype} bias={with_bias}", TOLERANCE[dtype]
    x, grad_out, weight, bias = random_array(rng, (rows, columns + 2), dtype), random_array(rng, (rows, columns + 1), dtype), random_array(rng, columns, dtype), random_array(rng, columns, dtype)
    alpha, out, grad_x = Array([0.7], "fp32"), empty_array((rows, columns + 3), dtype), empty_array((rows, columns + 4), dtype)
    blocks = cdiv(columns, 32)
    launch(FILE, "dynamic_tanh", {"x_ptr": x.argument, "alpha_ptr": alpha.argument, "weight_ptr": weight.argument, "bias_ptr": bias.argument if with_bias else None, "out_ptr": out.argument,
                                  "x_row_stride": columns + 2, "out_row_stride": columns + 3, "n_columns": columns, "BLOCK": 32}, grid=(rows, blocks))
    values, g, a = x.values[:, :columns], grad_out.values[:, :columns], alpha.values[0]
    t = np.tanh(a * values)
    checks.close(out.values[:, :columns], t * weight.values + (bias.values if with_bias else 0), what, rtol=tolerance, atol=tolerance)
    checks.expect(out.untouched[:, columns:].all(), what + ": nothing written past the end of a row")
    of_weight, of_bias, of_alpha = np.full((programs, columns), 1e9, np.float32), np.full((programs, columns), 1e9, np.float32), np.full((programs, blocks), 1e9, np.float32)
    launch(FILE, "dynamic_tanh_backward", {"grad_out_ptr": grad_out.argument, "x_ptr": x.argument, "alpha_ptr": alpha.argument, "weight_ptr": weight.argument, "grad_x_ptr": grad_x.argument, "grad_alpha_ptr": of_alpha,
                                           "grad_weight_ptr": of_weight, "grad_bias_ptr": of_bias if with_bias else None, "grad_out_row_stride": columns + 1, "x_row_stride": columns + 2,
                                           "grad_x_row_stride": columns + 4, "n_rows": rows, "n_columns": columns, "BLOCK": 32}, grid=(programs, blocks))
    slope = g * weight.values * (1 - t * t)
    checks.close(grad_x.values[:, :columns], slope * a, what + ": gradient of x", rtol=tolerance, atol=tolerance)
    checks.close(of_weight.sum(axis=0), (g * t).sum(axis=0), what + ": gradient of the weight", rtol=1e-4, atol=1e-4)
    checks.close(of_alpha.sum(), (slope * values).sum(), what + ": gradient of alpha", rtol=1e-4, atol=1e-3)
    if with_bias:
        checks.close(of_bias.sum(axis=0), g.sum(axis=0), what + ": gradient of the bias", rtol=1e-4, atol=1e-4)


for dtype in DTYPES:
    for rows, columns in ((7, 100), (1, 1), (4, 64)):
        checks.run(f"dynamic_tanh {rows}x{columns} {dtype}", test, rows, columns, dtype)
checks.run("dynamic_tanh without a bias", test, 5, 40, "fp32", False)
checks.run("dynamic_tanh, few rows", test, 2, 40, "fp32", True, 5)
checks.run("dynamic_tanh of nothing", test, 0, 40, "fp32")
checks.exit()

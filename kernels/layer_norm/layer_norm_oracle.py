"""layer_norm forward and backward against float64."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import TOLERANCE, Checks, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(5)
EPS = 1e-5


def test(rows, columns, dtype):
    what = f"layer_norm {rows}x{columns} {dtype}"
    file, tolerance = kernel_file("layer_norm"), TOLERANCE[dtype]
    x, grad_out = random_array(rng, (rows, columns), dtype, 3), random_array(rng, (rows, columns), dtype)
    weight, bias = random_array(rng, columns, dtype), random_array(rng, columns, dtype)
    out, grad_x = empty_array((rows, columns), dtype), empty_array((rows, columns), dtype)
    mean, rstd = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    launch(file, "layer_norm_forward",
           {"x_ptr": x.argument, "weight_ptr": weight.argument, "bias_ptr": bias.argument, "out_ptr": out.argument, "mean_ptr": mean,
            "rstd_ptr": rstd, "row_stride": columns, "n_columns": columns, "eps": EPS, "BLOCK": 64}, grid=(rows, ))
    centred = x.values - x.values.mean(axis=1, keepdims=True)
    factor = 1 / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPS)
    normal = centred * factor
    checks.close(mean, x.values.mean(axis=1), what + ": mean", rtol=1e-5, atol=1e-5)
    checks.close(rstd, factor[:, 0], what + ": rstd", rtol=1e-5)
    checks.close(out.values, normal * weight.values + bias.values, what + ": out", rtol=tolerance, atol=tolerance)

    programs = 3
    partial_weight, partial_bias = np.zeros((programs, columns), np.float32), np.zeros((programs, columns), np.float32)
    launch(file, "layer_norm_backward",
           {"grad_x_ptr": grad_x.argument, "partial_weight_ptr": partial_weight, "partial_bias_ptr": partial_bias,
            "grad_out_ptr": grad_out.argument, "x_ptr": x.argument, "weight_ptr": weight.argument, "mean_ptr": mean, "rstd_ptr": rstd,
            "row_stride": columns, "n_rows": rows, "n_columns": columns, "BLOCK": 1 << (columns - 1).bit_length()}, grid=(programs, ))
    grad_weight, grad_bias = empty_array(columns, "fp32"), empty_array(columns, "fp32")
    for partial, out_grad in ((partial_weight, grad_weight), (partial_bias, grad_bias)):
        launch(file, "layer_norm_sum_partials",
               {"partial_ptr": partial, "out_ptr": out_grad.argument, "n_partials": programs, "n_columns": columns, "BLOCK_ROWS": 4,
                "BLOCK_COLUMNS": 32}, grid=(-(-columns // 32), ))
    scaled = grad_out.values * weight.values
    expected = factor * (scaled - normal * (normal * scaled).mean(axis=1, keepdims=True) - scaled.mean(axis=1, keepdims=True))
    checks.close(grad_x.values, expected, what + ": grad_x", rtol=tolerance, atol=tolerance)
    checks.close(grad_weight.values, (grad_out.values * normal).sum(axis=0), what + ": grad_weight", rtol=1e-4, atol=1e-4)
    checks.close(grad_bias.values, grad_out.values.sum(axis=0), what + ": grad_bias", rtol=1e-4, atol=1e-4)


for dtype in ("fp32", "fp16", "bf16"):
    for rows, columns in ((5, 100), (1, 3), (7, 64), (11, 257)):
        checks.run(f"layer_norm {rows}x{columns} {dtype}", test, rows, columns, dtype)
checks.exit()

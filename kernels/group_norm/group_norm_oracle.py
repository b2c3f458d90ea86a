"""group_norm forward and backward against float64: groups of one and of all channels, odd positions, without weight and bias, no samples."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(27)
FILE, EPS = kernel_file("group_norm"), 1e-5


def test(batch, channels, positions, groups, dtype, affine=True):
    what, tolerance = f"group_norm {batch}x{channels}x{positions} in {groups} {dtype}", TOLERANCE[dtype]
    shape, each = (batch, channels, positions), channels // groups
    x, grad_out = random_array(rng, shape, dtype, 3), random_array(rng, shape, dtype)
    weight, bias = (random_array(rng, channels, dtype) for _ in range(2))
    out, grad_x = empty_array(shape, dtype), empty_array(shape, dtype)
    mean, rstd = (np.zeros((batch, groups), np.float32) for _ in range(2))
    sizes = {"groups": groups, "group_channels": each, "positions": positions, "BLOCK": 32}
    factor = weight.argument if affine else None
    launch(FILE, "group_norm_forward", {"x_ptr": x.argument, "weight_ptr": factor, "bias_ptr": bias.argument if affine else None, "out_ptr": out.argument,
                                        "mean_ptr": mean, "rstd_ptr": rstd, "eps": EPS} | sizes, grid=(batch * groups, ))
    launch(FILE, "group_norm_backward", {"grad_out_ptr": grad_out.argument, "x_ptr": x.argument, "weight_ptr": factor, "mean_ptr": mean, "rstd_ptr": rstd,
                                         "grad_x_ptr": grad_x.argument} | sizes, grid=(batch * groups, ))
    partial = [np.zeros((batch, channels), np.float32) for _ in range(2)]
    launch(FILE, "group_norm_backward_channels", {"grad_out_ptr": grad_out.argument, "x_ptr": x.argument, "mean_ptr": mean, "rstd_ptr": rstd,
                                                  "partial_weight_ptr": partial[0], "partial_bias_ptr": partial[1], "group_channels": each,
                                                  "positions": positions, "BLOCK": 16}, grid=(batch * channels, ))
    values = x.values.reshape(batch, groups, each * positions)
    centre = values.mean(axis=2, keepdims=True)
    factor = 1 / np.sqrt(values.var(axis=2, keepdims=True) + EPS)
    normal = ((values - centre) * factor).reshape(shape)
    w, b = (weight.values[:, None], bias.values[:, None]) if affine else (1, 0)
    checks.close(mean, centre[..., 0], what + ": mean", rtol=1e-5, atol=1e-5)
    checks.close(rstd, factor[..., 0], what + ": rstd", rtol=1e-4)
    checks.close(out.values, normal * w + b, what, rtol=tolerance, atol=tolerance)
    scaled = (grad_out.values * w).reshape(values.shape)
    flat = normal.reshape(values.shape)
    expected = (scaled - flat * (scaled * flat).mean(axis=2, keepdims=True) - scaled.mean(axis=2, keepdims=True)) * factor
    checks.close(grad_x.values, expected.reshape(shape), what + ": grad_x", rtol=2 * tolerance, atol=2 * tolerance)
    for name, rows, value in zip(("grad_weight", "grad_bias"), partial, (grad_out.values * normal, grad_out.values)):
        total = np.zeros(channels, np.float32)
        launch(kernel_file("reduce"), "reduce_columns", {"x_ptr": rows, "out_ptr": total, "x_row_stride": channels, "n_rows": batch, "n_columns": channels,
                                                         "KIND": "sum", "BLOCK_ROWS": 4, "BLOCK_COLUMNS": 16}, grid=(cdiv(channels, 16), ))
        checks.close(total, value.sum(axis=(0, 2)), f"{what}: {name}", rtol=1e-4, atol=1e-4)


for dtype in DTYPES:
    for shape in ((2, 6, 35, 3), (1, 4, 16, 1), (3, 5, 7, 5), (2, 8, 1, 2)):
        checks.run(f"group_norm {shape} {dtype}", test, *shape, dtype)
    checks.run(f"group_norm without weight {dtype}", test, 2, 6, 20, 2, dtype, False)
checks.run("group_norm of no samples", test, 0, 4, 5, 2, "fp32")
checks.exit()

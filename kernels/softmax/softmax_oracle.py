"""softmax and softmax_long against float64, on rows that do not fill a block, with strides, large values and -inf."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import TOLERANCE, Checks, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(2)


def reference(x):
    exponential = np.exp(x - x.max(axis=1, keepdims=True))
    return exponential / exponential.sum(axis=1, keepdims=True)


def test(kernel, rows, columns, padding, dtype, scale):
    what = f"{kernel} {rows}x{columns} {dtype} scale={scale}"
    x = random_array(rng, (rows, columns + padding), dtype, scale)
    if columns > 3 and dtype == "fp32":
        x.data[0, 1] = -np.inf
    out = empty_array((rows, columns + padding), dtype)
    args = {"out_ptr": out.argument, "x_ptr": x.argument, "out_row_stride": columns + padding, "x_row_stride": columns + padding,
            "n_columns": columns}
    if kernel == "softmax":
        args |= {"n_rows": rows, "BLOCK": 1 << (columns - 1).bit_length()}
        launch(kernel_file("softmax"), kernel, args, grid=(3, ))
    else:
        launch(kernel_file("softmax"), kernel, args | {"BLOCK": 64}, grid=(rows, ))
    checks.close(out.values[:, :columns], reference(x.values[:, :columns]), what, rtol=TOLERANCE[dtype], atol=1e-6)
    checks.expect((out.values[:, columns:] == empty_array(1, dtype).values[0]).all(), what + ": nothing written past the end of a row")


for dtype in ("fp32", "fp16", "bf16"):
    for rows, columns, padding in ((7, 100, 3), (1, 1, 0), (5, 64, 0), (4, 333, 5)):
        for scale in (1.0, 40.0):
            for kernel in ("softmax", "softmax_long"):
                checks.run(f"{kernel} {rows}x{columns} {dtype}", test, kernel, rows, columns, padding, dtype, scale)
checks.exit()

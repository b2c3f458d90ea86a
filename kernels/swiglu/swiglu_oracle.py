"""swiglu forward and backward against float64, with strides, tails and nothing at all."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(14)


def activation(x):
    """silu and its derivative."""
    s = 1 / (1 + np.exp(-x))
    return x * s, s * (1 + x * (1 - s))


def test(rows, columns, padding, dtype):
    what, tolerance = f"swiglu {rows}x{columns} {dtype}", TOLERANCE[dtype]
    gate, up = (random_array(rng, (rows, columns + padding), dtype, 2) for _ in range(2))
    grad_out, out = random_array(rng, (rows, columns), dtype), empty_array((rows, columns + padding), dtype)
    grad_gate, grad_up = (empty_array((rows, columns + padding), dtype) for _ in range(2))
    inputs = {"gate_ptr": gate.argument, "up_ptr": up.argument, "gate_row_stride": columns + padding, "up_row_stride": columns + padding,
              "n_columns": columns, "BLOCK": 64}
    grid = (rows, cdiv(columns, 64))
    launch(kernel_file("swiglu"), "swiglu_forward", inputs | {"out_ptr": out.argument, "out_row_stride": columns + padding}, grid=grid)
    launch(kernel_file("swiglu"), "swiglu_backward",
           inputs | {"grad_out_ptr": grad_out.argument, "grad_gate_ptr": grad_gate.argument, "grad_up_ptr": grad_up.argument,
                     "grad_out_row_stride": columns, "grad_gate_row_stride": columns + padding, "grad_up_row_stride": columns + padding},
           grid=grid)
    value, slope = activation(gate.values[:, :columns])
    expected = value * up.values[:, :columns], grad_out.values * up.values[:, :columns] * slope, grad_out.values * value
    for name, actual, reference in zip(("out", "grad_gate", "grad_up"), (out, grad_gate, grad_up), expected):
        checks.close(actual.values[:, :columns], reference, f"{what}: {name}", rtol=tolerance, atol=tolerance * 0.1)
        checks.expect(actual.untouched[:, columns:].all(), f"{what}: {name}: nothing written past the end of a row")


for dtype in DTYPES:
    for rows, columns, padding in ((5, 100, 3), (1, 1, 0), (7, 64, 0), (3, 257, 1), (0, 5, 1), (5, 0, 1)):
        checks.run(f"swiglu {rows}x{columns} {dtype}", test, rows, columns, padding, dtype)
checks.exit()

"""divergence and its gradient against float64: every kind, odd sizes, what has no probability, no rows, no columns."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, cdiv, empty_array, kernel_file, launch, np

checks = Checks()
rng = np.random.default_rng(48)
FILE = kernel_file("divergence")
TOLERANCE = {"fp32": 2e-5, "fp16": 4e-3, "bf16": 3e-2}


def reference(x, y, beta, kind):
    """(sums of rows, gradient of x)"""
    def zero_where(p, value):
        return np.where(p > 0, value, 0)

    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == "tvd":
            return 0.5 * abs(x - y).sum(axis=1), 0.5 * np.sign(x - y)
        if kind in ("kl", "kl_log"):
            p = y if kind == "kl" else np.exp(y)
            return zero_where(p, p * (np.log(p) - x)).sum(axis=1), -p
        p, q = np.exp(y), np.exp(x)
        mixed = np.log(beta * p + (1 - beta) * q)
        of_q = zero_where(q, q * (x - mixed))
        slope = (1 - beta) * of_q if 0 < beta < 1 else -p if beta == 0 else zero_where(q, q * (x - y + 1))
        return (beta * zero_where(p, p * (y - mixed)) + (1 - beta) * of_q).sum(axis=1) if 0 < beta < 1 else zero_where(p, p * (y - x)).sum(
            axis=1) if beta == 0 else zero_where(q, q * (x - y)).sum(axis=1), slope


def test(rows, columns, kind, dtype, beta=0.5):
    what = f"divergence {rows}x{columns} {kind} {dtype} beta={beta}"
    p, q = (weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-30) for weights in rng.random((2, rows, columns + 2))**2)
    if kind == "kl" and columns > 1:
        p[:, 1] = 0
    x, y = Array(q if kind == "tvd" else np.log(q), dtype), Array(p if kind in ("kl", "tvd") else np.log(p), dtype)
    if kind == "jsd" and 0 < beta < 1 and columns > 1:
        x.data[:, 0], y.data[:, 1] = Array(-np.inf, dtype).data, Array(-np.inf, dtype).data
    loss, grad, grad_loss = np.full(rows, 1e9, np.float32), empty_array((rows, columns + 1), dtype), rng.standard_normal(rows).astype(np.float32)
    common = {"x_ptr": x.argument, "target_ptr": y.argument, "x_row_stride": columns + 2, "target_row_stride": columns + 2, "n_columns": columns, "beta": beta, "KIND": kind, "BLOCK": 32}
    launch(FILE, "divergence_forward", common | {"loss_ptr": loss}, grid=(rows, ))
    launch(FILE, "divergence_backward", common | {"grad_loss_ptr": grad_loss, "grad_ptr": grad.argument, "grad_row_stride": columns + 1}, grid=(cdiv(columns, 32), rows))
    expected, slope = reference(x.values[:, :columns], y.values[:, :columns], beta, kind)
    checks.close(loss, expected, what, rtol=5e-5, atol=5e-5)
    checks.close(grad.values[:, :columns], slope * grad_loss[:, None], what + ": gradient", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.expect(grad.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


for dtype in DTYPES:
    for kind in ("kl", "kl_log", "jsd", "tvd"):
        checks.run(f"divergence {kind} {dtype}", test, 5, 70, kind, dtype)
for beta in (0.0, 0.1, 1.0):
    checks.run(f"divergence jsd {beta}", test, 3, 33, "jsd", "fp32", beta)
for rows, columns in ((0, 7), (3, 0), (2, 1)):
    checks.run(f"divergence {rows}x{columns}", test, rows, columns, "kl", "fp32")
checks.exit()

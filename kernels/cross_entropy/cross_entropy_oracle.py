"""cross_entropy forward and backward against float64: tails, strides, ignored rows, wrong targets, large values, -inf; smoothing, z-loss, soft caps."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(17)
FILE = kernel_file("cross_entropy")
IGNORE = -100


def reference(x, target, grad_loss, smoothing, z_loss, softcap):
    lse, loss, grad = np.zeros(len(x)), np.zeros(len(x)), np.zeros(x.shape)
    slope = 1 - np.tanh(x / softcap)**2 if softcap else 1
    x = softcap * np.tanh(x / softcap) if softcap else x
    for row, place in enumerate(target):
        if place == IGNORE:
            continue
        lse[row] = x[row].max() + np.log(np.exp(x[row] - x[row].max()).sum())
        if not 0 <= place < x.shape[1]:
            loss[row], grad[row] = np.nan, np.nan
            continue
        smooth = smoothing * x[row].mean() if smoothing else 0
        loss[row] = lse[row] - (1 - smoothing) * x[row, place] - smooth + z_loss * lse[row]**2
        grad[row] = np.exp(x[row] - lse[row]) * (1 + 2 * z_loss * lse[row]) - smoothing / x.shape[1]
        grad[row, place] -= 1 - smoothing
        grad[row] *= grad_loss[row]
    return lse, loss, grad * slope


def test(rows, columns, padding, dtype, scale, index_type, block, smoothing=0.0, z_loss=0.0, softcap=0.0):
    what, tolerance = f"cross_entropy {rows}x{columns} {dtype} scale={scale} {index_type}", TOLERANCE[dtype]
    logits = random_array(rng, (rows, columns + padding), dtype, scale)
    target = rng.integers(0, columns, rows).astype(index_type)
    if rows > 4:
        target[1], target[2], target[3] = IGNORE, columns, -1
        logits.data[1, 0] = np.asarray(Array(np.inf, dtype).data).flat[0]
    if columns > block and dtype == "fp32" and not smoothing and not softcap:
        logits.data[0, :block] = -np.inf  # a whole block of them
        target[0] = columns - 1
    grad_loss = rng.standard_normal(rows).astype(np.float32)
    loss, lse = np.zeros(rows, np.float32), np.zeros(rows, np.float32)
    grad = empty_array((rows, columns + 2 * padding), dtype)
    inputs = {"logits_ptr": logits.argument, "target_ptr": target, "lse_ptr": lse, "logits_row_stride": columns + padding,
              "n_columns": columns, "ignore_index": IGNORE, "BLOCK": block, "SMOOTHING": smoothing, "Z_LOSS": z_loss, "SOFTCAP": softcap}
    launch(FILE, "cross_entropy_forward", inputs | {"loss_ptr": loss}, grid=(rows, ))
    launch(FILE, "cross_entropy_backward", inputs | {"grad_loss_ptr": grad_loss, "grad_ptr": grad.argument,
                                                     "grad_row_stride": columns + 2 * padding}, grid=(rows, ))
    if rows:
        expected = reference(logits.values[:, :columns], target, grad_loss, smoothing, z_loss, softcap)
        checks.close(np.where(target == IGNORE, 0, lse), expected[0], what + ": lse", rtol=1e-5, atol=1e-5)
        checks.close(loss, expected[1], what + ": loss", rtol=2e-5, atol=2e-5)
        checks.close(grad.values[:, :columns], expected[2], what + ": grad", rtol=tolerance, atol=tolerance * 0.1)
    checks.expect(grad.untouched[:, columns:].all(), what + ": nothing written past the end of a row")


for dtype in DTYPES:
    for rows, columns, padding in ((7, 100, 3), (1, 1, 0), (5, 64, 0), (6, 333, 1), (0, 5, 0)):
        for scale in (1.0, 30.0):
            checks.run(f"cross_entropy {rows}x{columns} {dtype}", test, rows, columns, padding, dtype, scale, "int64", 64)
    for name, options in (("smoothing", (0.1, 0.0, 0.0)), ("z-loss", (0.0, 0.01, 0.0)), ("soft cap", (0.0, 0.0, 5.0)), ("all", (0.2, 0.001, 3.0))):
        checks.run(f"cross_entropy {name} {dtype}", test, 7, 100, 3, dtype, 2.0, "int64", 64, *options)
checks.run("cross_entropy int32", test, 9, 50, 0, "fp32", 1.0, "int32", 16)
checks.exit()

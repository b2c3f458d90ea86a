"""batch_norm forward and backward against float64: training and use, odd sizes, with and without weight, one picture, no pictures."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, empty_array, kernel_file, launch, launch_once, np, random_array

checks = Checks()
rng = np.random.default_rng(53)
FILE = kernel_file("batch_norm")


def test(batch, channels, places, dtype, training=True, with_weight=True, eps=1e-3):
    what, tolerance = f"batch_norm {batch}x{channels}x{places} {dtype} training={training} weight={with_weight}", TOLERANCE[dtype]
    shape = (batch, channels, places)
    x, grad, out, grad_x = random_array(rng, shape, dtype, 2), random_array(rng, shape, dtype), empty_array(shape, dtype), empty_array(shape, dtype)
    weight, bias = random_array(rng, channels, dtype), random_array(rng, channels, dtype)
    mean, rstd = (np.full(channels, 1e9, np.float32) for _ in range(2)) if training else (rng.standard_normal(channels).astype(np.float32), rng.random(channels).astype(np.float32))
    sizes = {"batch": batch, "n_channels": channels, "n_places": places, "TRAINING": training, "BLOCK": 32}
    common = {"x_ptr": x.argument, "weight_ptr": weight.argument if with_weight else None, "mean_ptr": mean, "rstd_ptr": rstd} | sizes
    launch(FILE, "batch_norm_forward", common | {"bias_ptr": bias.argument if with_weight else None, "out_ptr": out.argument, "eps": eps}, grid=(channels, ))
    own = [x.values.mean(axis=(0, 2)), 1 / np.sqrt(x.values.var(axis=(0, 2)) + eps)] if training else [mean.astype(float), rstd.astype(float)]
    center, factor = (each[:, None] for each in own)
    gain, offset = (weight.values[:, None], bias.values[:, None]) if with_weight else (1, 0)
    normal = (x.values - center) * factor
    checks.close(out.values, normal * gain + offset, what, rtol=tolerance, atol=2 * tolerance)
    if training:
        checks.close(mean, own[0], what + ": mean", rtol=1e-5, atol=1e-5)
        checks.close(rstd, own[1], what + ": rstd", rtol=1e-5, atol=1e-5)
    grad_weight, grad_bias = np.full((2, channels), 1e9, np.float32)
    launch(FILE, "batch_norm_backward", common | {"grad_ptr": grad.argument, "grad_x_ptr": grad_x.argument, "grad_weight_ptr": grad_weight, "grad_bias_ptr": grad_bias}, grid=(channels, ))
    g = grad.values
    checks.close(grad_bias, g.sum(axis=(0, 2)), what + ": gradient of bias", rtol=1e-4, atol=1e-4)
    checks.close(grad_weight, (g * normal).sum(axis=(0, 2)), what + ": gradient of weight", rtol=1e-4, atol=1e-4)
    if training:
        g = g - g.mean(axis=(0, 2))[:, None] - normal * (g * normal).mean(axis=(0, 2))[:, None]
    checks.close(grad_x.values, g * factor * gain, what + ": gradient of x", rtol=tolerance, atol=2 * tolerance)


def test_nothing():
    """Channels without elements: what is computed for them is stored nowhere."""
    out, sums = np.zeros((0, 3, 5), np.float32), np.zeros(3, np.float32)
    launch_once(FILE, "batch_norm_forward", {"x_ptr": out, "weight_ptr": None, "bias_ptr": None, "out_ptr": out, "mean_ptr": sums, "rstd_ptr": sums + 1, "batch": 0, "n_channels": 3, "n_places": 5,
                                             "eps": 1e-5, "TRAINING": False, "BLOCK": 32}, grid=(3, ))
    checks.equal(sums, np.zeros(3), "batch_norm of no pictures: statistics are left alone")


for dtype in DTYPES:
    checks.run(f"batch_norm {dtype}", test, 3, 5, 37, dtype)
    checks.run(f"batch_norm {dtype} in use", test, 2, 4, 20, dtype, False)
checks.run("batch_norm without weight", test, 4, 3, 9, "fp32", True, False)
checks.run("batch_norm of one place", test, 40, 3, 1, "fp32")
checks.run("batch_norm of one picture", test, 1, 2, 70, "fp32", True)
checks.run("batch_norm of no pictures", test_nothing)
checks.exit()

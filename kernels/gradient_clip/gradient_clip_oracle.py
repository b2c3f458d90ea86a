"""gradient_clip: norms of several gradients against float64, what is scaled, and how a loss scale moves; norms above and below the largest, odd lengths, NaN, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Checks, cdiv, kernel_file, launch, launch_once, np, random_array

checks = Checks()
rng = np.random.default_rng(29)
FILE = kernel_file("gradient_clip")
PROGRAMS = 3


def test(lengths, dtype, largest_norm, with_nan=False):
    what = f"gradient_clip {lengths} {dtype} to {largest_norm}"
    gradients = [random_array(rng, n, dtype, 2) for n in lengths]
    if with_nan:
        gradients[0].data[0] = np.float32("nan")
    before = [each.values for each in gradients]
    partial, norm, factor = np.full(PROGRAMS * len(lengths), 1e9, np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32)
    for index, each in enumerate(gradients):
        launch(FILE, "sum_of_squares", {"x_ptr": each.argument, "partial_ptr": partial[index * PROGRAMS:], "n": each.data.size, "BLOCK": 32}, grid=(PROGRAMS, ))
    launch(FILE, "clip_factor", {"partial_ptr": partial, "norm_ptr": norm, "factor_ptr": factor, "n": partial.size, "largest_norm": largest_norm, "BLOCK": 4}, grid=(1, ))
    expected_norm = np.sqrt(sum((values**2).sum() for values in before))
    expected = largest_norm / (expected_norm + 1e-6)
    expected = 1.0 if expected > 1 else expected
    checks.close(norm, [expected_norm], what + ": norm", rtol=1e-5)
    checks.close(factor, [expected], what + ": factor", rtol=1e-5)
    for each, values in zip(gradients, before):
        launch_once(FILE, "scale_by", {"x_ptr": each.argument, "factor_ptr": factor, "n": each.data.size, "BLOCK": 32}, grid=(cdiv(each.data.size, 32), ))
        checks.close(each.values, values * expected, what + ": scaled", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_loss_scale():
    """A run of steps: growth behind three good ones in a row, shrinking at infinity and at NaN."""
    scale, good, expected_scale, in_a_row = np.array([1024], np.float32), np.zeros(1, np.int32), 1024.0, 0
    for step, broken in enumerate((None, None, None, np.inf, None, np.nan, None, None, None, None)):
        what, gradient = f"loss_scale, step {step}", rng.standard_normal(70).astype(np.float32)
        scaled = (gradient * scale).astype(np.float32)
        if broken:
            scaled[50] = broken
        partial, norm, factor = np.full(PROGRAMS, 1e9, np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32)
        launch(FILE, "sum_of_squares", {"x_ptr": scaled, "partial_ptr": partial, "n": 70, "BLOCK": 16}, grid=(PROGRAMS, ))
        launch_once(FILE, "loss_scale", {"partial_ptr": partial, "norm_ptr": norm, "factor_ptr": factor, "scale_ptr": scale, "good_ptr": good, "n": PROGRAMS, "largest_norm": 2.0, "growth": 2.0,
                                         "backoff": 0.5, "interval": 3, "BLOCK": 4}, grid=(1, ))
        length = np.linalg.norm(gradient.astype(np.float64))
        checks.close(factor, [0.0 if broken else 2 / (length + 1e-6) / expected_scale], what + ": factor", rtol=1e-5, atol=0)
        if not broken:
            checks.close(norm, [length], what + ": norm", rtol=1e-5)
        in_a_row = 0 if broken else in_a_row + 1
        expected_scale *= 0.5 if broken else 2 if in_a_row == 3 else 1
        in_a_row %= 3
        checks.equal(scale, np.array([expected_scale], np.float32), what + ": scale")
        checks.equal(good, np.array([in_a_row], np.int32), what + ": good steps in a row")


checks.run("loss_scale", test_loss_scale)
for dtype in DTYPES:
    for lengths in ((100, 1, 64), (33, ), (7, 0, 300)):
        for largest_norm in (0.5, 1e4):
            checks.run(f"gradient_clip {lengths} {dtype} {largest_norm}", test, lengths, dtype, largest_norm)
checks.run("gradient_clip of nothing", test, (0, ), "fp32", 1.0)
checks.run("gradient_clip of NaN", test, (40, 5), "fp32", 1.0, True)
checks.exit()

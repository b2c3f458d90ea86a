"""gradient_clip: norms of several gradients against float64, and what is scaled; norms above and below the largest, odd lengths, NaN, nothing."""
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


for dtype in DTYPES:
    for lengths in ((100, 1, 64), (33, ), (7, 0, 300)):
        for largest_norm in (0.5, 1e4):
            checks.run(f"gradient_clip {lengths} {dtype} {largest_norm}", test, lengths, dtype, largest_norm)
checks.run("gradient_clip of nothing", test, (0, ), "fp32", 1.0)
checks.run("gradient_clip of NaN", test, (40, 5), "fp32", 1.0, True)
checks.exit()

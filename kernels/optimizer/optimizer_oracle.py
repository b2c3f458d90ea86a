"""Steps of adamw, adamw_8bit and lion against float64: narrow parameters with and without master weights, a factor on the gradient, steps that are left out, odd lengths, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DEVICE, DTYPES, TOLERANCE, Checks, cdiv, kernel_file, launch_once, np, random_array
import nereid_test

checks = Checks()
rng = np.random.default_rng(28)
FILE = kernel_file("optimizer")
RATE, BETA1, BETA2, EPS, DECAY = 0.01, 0.9, 0.95, 1e-8, 0.1


def copied(value):
    if isinstance(value, nereid_test.Typed):
        return nereid_test.Typed(value.array.copy(), value.dtype)
    return value.copy() if isinstance(value, np.ndarray) else value


def launch(kernel, arguments, n, per_program=32):
    """A step updates its arguments: the checker gets copies of them."""
    if DEVICE.startswith("interp"):
        nereid_test.launch(FILE, kernel, {name: copied(value) for name, value in arguments.items()}, check=True, grid=(cdiv(n, per_program), ))
    launch_once(FILE, kernel, arguments, grid=(cdiv(n, per_program), ))


def state(n, dtype, state_type, with_master, with_factor):
    parameter, gradient = random_array(rng, n, dtype), random_array(rng, n, dtype)
    mean = random_array(rng, n, state_type, 0.1)
    if n > 1:
        gradient.data[0] = mean.data[0] = 0
    master = parameter.values.astype(np.float32) + np.float32(1e-4) if with_master else None
    factor = np.array([0.5], np.float32) if with_factor else None
    values = parameter.values if master is None else master.astype(np.float64)
    arguments = {"parameter_ptr": parameter.argument, "master_ptr": master, "gradient_ptr": gradient.argument, "mean_ptr": mean.argument, "factor_ptr": factor, "n": n,
                 "rate": RATE, "beta1": BETA1, "beta2": BETA2, "decay": DECAY, "BLOCK": 32}
    return parameter, master, mean, values, gradient.values * (0.5 if with_factor else 1), arguments


def expect(what, parameter, master, expected, dtype):
    checks.close(parameter.values, expected, what + ": parameter", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    if master is not None:
        checks.close(master, expected, what + ": master", rtol=1e-5, atol=1e-6)


def test_adamw(n, dtype, state_type, with_master, with_factor, step=3):
    what = f"adamw {n} {dtype}/{state_type} master={with_master} factor={with_factor}"
    parameter, master, mean, values, gradient, arguments = state(n, dtype, state_type, with_master, with_factor)
    square = random_array(rng, n, state_type, 0.1)
    square.data[:] = np.abs(square.data) if state_type != "bf16" else square.data & 0x7FFF
    m = BETA1 * mean.values + (1 - BETA1) * gradient
    v = BETA2 * square.values + (1 - BETA2) * gradient**2
    launch("adamw", arguments | {"square_ptr": square.argument, "eps": EPS, "correction1": 1 - BETA1**step, "correction2": 1 - BETA2**step}, n)
    expected = values * (1 - RATE * DECAY) - RATE * (m / (1 - BETA1**step)) / (np.sqrt(v / (1 - BETA2**step)) + EPS)
    expect(what, parameter, master, expected, dtype)
    checks.close(mean.values, m, what + ": mean", rtol=TOLERANCE[state_type], atol=TOLERANCE[state_type])
    checks.close(square.values, v, what + ": square", rtol=TOLERANCE[state_type], atol=TOLERANCE[state_type])


def test_lion(n, dtype, state_type, with_master, with_factor):
    what = f"lion {n} {dtype}/{state_type} master={with_master} factor={with_factor}"
    parameter, master, mean, values, gradient, arguments = state(n, dtype, state_type, with_master, with_factor)
    expected = values * (1 - RATE * DECAY) - RATE * np.sign(BETA1 * mean.values + (1 - BETA1) * gradient)
    kept = BETA2 * mean.values + (1 - BETA2) * gradient
    launch("lion", arguments, n)
    expect(what, parameter, master, expected, dtype)
    checks.close(mean.values, kept, what + ": mean", rtol=TOLERANCE[state_type], atol=TOLERANCE[state_type])


def dynamic_values(pieces):
    """Dynamic tree quantization: each power of ten below 1 has twice as many values as the one before, the middles of equal pieces of a tenth to one; 0 and 1 besides. Pieces of 10^-6: 1 with signs, 2 without."""
    values = [10.0**(power - 6) * (0.1 + 0.9 * (piece + 0.5) / (pieces << power)) for power in range(7) for piece in range(pieces << power)]
    return np.array(sorted(values + [0.0, 1.0] + ([-value for value in values] if pieces == 1 else [])), np.float32)


SIGNED, UNSIGNED = dynamic_values(1), dynamic_values(2)


def expect_codes(what, codes, scale, expected, table, blocksize):
    """The scale is a run's largest magnitude, and no value of the table is nearer than the chosen one."""
    largest = np.array([np.abs(expected[first:first + blocksize]).max() for first in range(0, expected.size, blocksize)])
    checks.close(scale, largest, what + ": scale", rtol=1e-5, atol=1e-6)
    wide = scale.astype(np.float64).repeat(blocksize)[:expected.size]
    distance = np.abs((expected / np.where(wide == 0, 1, wide))[:, None] - table.astype(np.float64)[None, :])
    checks.close(distance[np.arange(expected.size), codes], distance.min(axis=1), what + ": codes", rtol=0, atol=1e-6)


def test_adamw_8bit(n, dtype, with_master, with_factor, blocksize=32, step=3):
    what = f"adamw_8bit {n} by {blocksize} {dtype} master={with_master} factor={with_factor}"
    parameter, master, _, values, gradient, arguments = state(n, dtype, "fp32", with_master, with_factor)
    arguments = {name: value for name, value in arguments.items() if name not in ("mean_ptr", "BLOCK")}
    mean, square = rng.integers(0, 256, (2, n)).astype(np.uint8)
    mean_scale, square_scale = rng.uniform(0.5, 2, (2, cdiv(n, blocksize))).astype(np.float32)
    m = BETA1 * SIGNED[mean].astype(np.float64) * mean_scale.repeat(blocksize)[:n] + (1 - BETA1) * gradient
    v = BETA2 * UNSIGNED[square].astype(np.float64) * square_scale.repeat(blocksize)[:n] + (1 - BETA2) * gradient**2
    launch("adamw_8bit", arguments | {"mean_ptr": mean, "square_ptr": square, "mean_scale_ptr": mean_scale, "square_scale_ptr": square_scale, "mean_table_ptr": SIGNED, "square_table_ptr": UNSIGNED,
                                      "eps": EPS, "correction1": 1 - BETA1**step, "correction2": 1 - BETA2**step, "BLOCKSIZE": blocksize, "ROWS": 2}, n, 2 * blocksize)
    expected = values * (1 - RATE * DECAY) - RATE * (m / (1 - BETA1**step)) / (np.sqrt(v / (1 - BETA2**step)) + EPS)
    expect(what, parameter, master, expected, dtype)
    expect_codes(what + ": mean", mean, mean_scale, m, SIGNED, blocksize)
    expect_codes(what + ": square", square, square_scale, v, UNSIGNED, blocksize)


def test_left_out():
    """A factor of 0: gradients that are not finite change nothing."""
    nothing = np.zeros(1, np.float32)
    for kernel in ("adamw", "adamw_8bit", "lion"):
        parameter, mean, square = rng.standard_normal((3, 40)).astype(np.float32)
        codes, scales = rng.integers(0, 256, (2, 40)).astype(np.uint8), rng.random((2, 2)).astype(np.float32)
        kept = {"adamw": {"mean_ptr": mean, "square_ptr": square}, "lion": {"mean_ptr": mean},
                "adamw_8bit": {"mean_ptr": codes[0], "square_ptr": codes[1], "mean_scale_ptr": scales[0], "square_scale_ptr": scales[1]}}[kernel]
        before = [x.copy() for x in (parameter, *kept.values())]
        more = {} if kernel == "lion" else {"eps": EPS, "correction1": 0.5, "correction2": 0.5}
        more |= {"mean_table_ptr": SIGNED, "square_table_ptr": UNSIGNED, "BLOCKSIZE": 32, "ROWS": 1} if kernel == "adamw_8bit" else {"BLOCK": 32}
        launch(kernel, {"parameter_ptr": parameter, "master_ptr": None, "gradient_ptr": np.full(40, np.inf, np.float32), "factor_ptr": nothing, "n": 40, "rate": RATE, "beta1": BETA1, "beta2": BETA2,
                        "decay": DECAY} | kept | more, 40)
        checks.expect(all(np.array_equal(a, b) for a, b in zip(before, (parameter, *kept.values()))), f"{kernel} with a factor of 0 changes nothing")


checks.expect(SIGNED.size == UNSIGNED.size == 256 and SIGNED[127] == 0, "a code has eight bits")
for dtype in DTYPES:
    for n, blocksize in ((100, 32), (1, 32), (128, 64), (300, 256)):
        for with_master, with_factor in ((False, False), (True, True)):
            checks.run(f"test_adamw_8bit {n} {dtype}", test_adamw_8bit, n, dtype, with_master, with_factor, blocksize)
checks.run("test_adamw_8bit of nothing", test_adamw_8bit, 0, "fp32", False, False)
checks.run("steps that are left out", test_left_out)
for test in (test_adamw, test_lion):
    for dtype in DTYPES:
        for n in (100, 1, 64):
            for with_master, with_factor in ((False, False), (True, True)):
                checks.run(f"{test.__name__} {n} {dtype}", test, n, dtype, "fp32", with_master, with_factor)
        checks.run(f"{test.__name__}, narrow state {dtype}", test, 77, dtype, "bf16", True, False)
    checks.run(f"{test.__name__} of nothing", test, 0, "fp32", "fp32", False, False)
checks.exit()

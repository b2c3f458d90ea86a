"""Steps of adamw and lion against float64: narrow parameters with and without master weights, a factor on the gradient, odd lengths, nothing."""
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


def launch(kernel, arguments, n):
    """A step updates its arguments: the checker gets copies of them."""
    if DEVICE == "interp":
        nereid_test.launch(FILE, kernel, {name: copied(value) for name, value in arguments.items()}, check=True, grid=(cdiv(n, 32), ))
    launch_once(FILE, kernel, arguments, grid=(cdiv(n, 32), ))


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


for test in (test_adamw, test_lion):
    for dtype in DTYPES:
        for n in (100, 1, 64):
            for with_master, with_factor in ((False, False), (True, True)):
                checks.run(f"{test.__name__} {n} {dtype}", test, n, dtype, "fp32", with_master, with_factor)
        checks.run(f"{test.__name__}, narrow state {dtype}", test, 77, dtype, "bf16", True, False)
    checks.run(f"{test.__name__} of nothing", test, 0, "fp32", "fp32", False, False)
checks.exit()

"""muon: momentum, norm, products and the step against float64, and whole Newton-Schulz steps; wide and tall matrices, batches, odd sizes, nothing. The singular values of the result are near 1."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DEVICE, DTYPES, TOLERANCE, Checks, Typed, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array
import nereid_test

checks = Checks()
rng = np.random.default_rng(61)
FILE = kernel_file("muon")
COEFFICIENTS = (3.4445, -4.7750, 2.0315)


def copied(value):
    if isinstance(value, Typed):
        return Typed(value.array.copy(), value.dtype)
    return value.copy() if isinstance(value, np.ndarray) else value


def update(kernel, arguments, grid):
    """A kernel that updates its arguments: the checker gets copies of them."""
    if DEVICE.startswith("interp"):
        nereid_test.launch(FILE, kernel, {name: copied(value) for name, value in arguments.items()}, check=True, grid=grid)
    launch_once(FILE, kernel, arguments, grid=grid)


def newton_schulz(x, steps=5):
    a, b, c = COEFFICIENTS
    x = x / np.maximum(np.linalg.norm(x, axis=(1, 2), keepdims=True), 1e-7)
    for _ in range(steps):
        gram = x @ x.swapaxes(1, 2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x


def test(batch, rows, columns, dtype, nesterov=True, factor=None, block=16):
    """All kernels of a step, one behind the other."""
    what, n = f"muon {batch}x{rows}x{columns} {dtype} nesterov={nesterov} factor={factor}", rows * columns
    gradient, momentum = random_array(rng, (batch, rows, columns), dtype), random_array(rng, (batch, rows, columns), "fp32")
    direction, partial = empty_array((batch, rows, columns), dtype), np.full((batch, 3), 1e9, np.float32)
    expected_momentum = 0.9 * momentum.values + 0.1 * (1 if factor is None else factor) * gradient.values
    expected = 0.9 * expected_momentum + 0.1 * (1 if factor is None else factor) * gradient.values if nesterov else expected_momentum
    if factor == 0:
        expected_momentum, expected = momentum.values, np.zeros(expected.shape)
    factor = None if factor is None else np.array([factor], np.float32)
    update("momentum_direction", {"gradient_ptr": gradient.argument, "momentum_ptr": momentum.argument, "factor_ptr": factor, "out_ptr": direction.argument, "partial_ptr": partial, "n": n, "beta": 0.9,
                                  "NESTEROV": nesterov, "BLOCK": 32}, (3, batch))
    checks.close(momentum.values, expected_momentum, what + ": momentum", rtol=1e-5, atol=1e-6)
    checks.close(direction.values, expected, what + ": direction", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.close(partial.sum(axis=1), (expected**2).sum(axis=(1, 2)), what + ": squares", rtol=1e-4, atol=1e-6)
    x = empty_array((batch, rows, columns), dtype)
    launch(FILE, "normalize", {"x_ptr": direction.argument, "partial_ptr": partial, "out_ptr": x.argument, "n": n, "n_partial": 3, "eps": 1e-7, "BLOCK_P": 4, "BLOCK": 32}, grid=(cdiv(n, 32), batch))
    norm = np.maximum(np.sqrt(partial.astype(np.float64).sum(axis=1)), 1e-7)[:, None, None]
    checks.close(x.values, direction.values / norm, what + ": normalize", rtol=TOLERANCE[dtype], atol=1e-6)
    M, N = min(rows, columns), max(rows, columns)
    stride_m, stride_n = (columns, 1) if rows <= columns else (1, columns)
    a, b, c = COEFFICIENTS
    grid = (cdiv(M, block), cdiv(M, block), batch)
    start = x.values
    for step in range(5):
        gram, polynomial, moved = empty_array((batch, M, M), dtype), empty_array((batch, M, M), dtype), empty_array((batch, rows, columns), dtype)
        sizes = {"BLOCK_M": block, "BLOCK_K": 16, "PRECISION": "ieee"}
        run = launch if step == 0 else launch_once
        run(FILE, "symmetric_product", {"x_ptr": x.argument, "c_ptr": None, "out_ptr": gram.argument, "M": M, "K": N, "x_stride_b": n, "x_stride_m": stride_m, "x_stride_k": stride_n, "alpha": 0.0,
                                        "beta": 1.0, **sizes}, grid=grid)
        run(FILE, "symmetric_product", {"x_ptr": gram.argument, "c_ptr": gram.argument, "out_ptr": polynomial.argument, "M": M, "K": M, "x_stride_b": M * M, "x_stride_m": M, "x_stride_k": 1, "alpha": b,
                                        "beta": c, **sizes}, grid=grid)
        run(FILE, "polynomial_product", {"b_ptr": polynomial.argument, "x_ptr": x.argument, "out_ptr": moved.argument, "M": M, "N": N, "stride_b": n, "stride_m": stride_m, "stride_n": stride_n, "a": a,
                                         "BLOCK_N": 16, **sizes}, grid=(cdiv(M, block), cdiv(N, 16), batch))
        wide, turned = gram.values, x.values if rows <= columns else x.values.swapaxes(1, 2)
        tolerance = {"rtol": TOLERANCE[dtype], "atol": 2 * TOLERANCE[dtype]}
        checks.close(wide, turned @ turned.swapaxes(1, 2), what + ": x x^T", **tolerance)
        checks.close(polynomial.values, b * wide + c * wide @ wide, what + ": polynomial", **tolerance)
        result = a * turned + polynomial.values @ turned
        checks.close(moved.values, result if rows <= columns else result.swapaxes(1, 2), what + ": product", **tolerance)
        x = moved
    turned = start if rows <= columns else start.swapaxes(1, 2)
    whole = newton_schulz(turned)
    if dtype == "fp32" and n:
        checks.close(x.values, whole if rows <= columns else whole.swapaxes(1, 2), what + ": five steps", rtol=1e-3, atol=1e-3)
    if (factor is None or factor[0]) and 2 <= M < N // 2 + 1:
        values = np.linalg.svd(x.values, compute_uv=False)
        checks.expect(((0.6 < values) & (values < 1.4)).all(), f"{what}: singular values are {values.min():.3f} … {values.max():.3f}")


def test_update(n, dtype, with_master, factor):
    what = f"muon_update {n} {dtype} master={with_master} factor={factor}"
    parameter, direction = random_array(rng, n, dtype), random_array(rng, n, dtype)
    master = parameter.values.astype(np.float32) + np.float32(1e-4) if with_master else None
    values = parameter.values if master is None else master.astype(np.float64)
    expected = parameter.values if factor == 0 else values * 0.99 - 0.25 * direction.values
    update("muon_update", {"parameter_ptr": parameter.argument, "master_ptr": master, "direction_ptr": direction.argument, "factor_ptr": None if factor is None else np.array([factor], np.float32), "n": n,
                           "rate": 0.25, "decay": 0.01, "BLOCK": 32}, (cdiv(n, 32), ))
    checks.close(parameter.values, expected, what, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    if master is not None:
        checks.close(master, values if factor == 0 else expected, what + ": master", rtol=1e-5, atol=1e-6)


for dtype in DTYPES:
    checks.run(f"muon, wide {dtype}", test, 1, 13, 40, dtype)
    checks.run(f"muon, tall {dtype}", test, 2, 50, 19, dtype, False)
    checks.run(f"muon_update {dtype}", test_update, 77, dtype, True, 0.5)
checks.run("muon, square", test, 1, 33, 33, "fp32", True, 0.5)
checks.run("muon of one number", test, 1, 1, 1, "fp32")
checks.run("muon, large blocks", test, 1, 20, 70, "fp32", block=32)
checks.run("muon, a step that is left out", test, 1, 5, 7, "fp32", True, 0.0)
checks.run("muon of nothing", test, 0, 5, 7, "fp32")
checks.run("muon of an empty matrix", test, 2, 0, 7, "fp32")
for master, factor in ((False, None), (True, 0.0)):
    checks.run("muon_update", test_update, 33, "fp32", master, factor)
checks.exit()

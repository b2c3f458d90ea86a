"""linear_cross_entropy: losses and gradients in place against float64, products that are added up, and a whole layer in chunks."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DEVICE, DTYPES, TOLERANCE, Checks, Typed, cdiv, kernel_file, launch_once, np, random_array
import nereid_test

checks = Checks()
rng = np.random.default_rng(30)
FILE = kernel_file("linear_cross_entropy")
IGNORE = -100


def copied(value):
    if isinstance(value, Typed):
        return Typed(value.array.copy(), value.dtype)
    return value.copy() if isinstance(value, np.ndarray) else value


def launch(kernel, arguments, grid):
    """These kernels update their arguments: the checker gets copies."""
    if DEVICE.startswith("interp"):
        nereid_test.launch(FILE, kernel, {name: copied(value) for name, value in arguments.items()}, check=True, grid=grid)
    launch_once(FILE, kernel, arguments, grid=grid)


def reference(x, target, scale, smoothing=0.0, z_loss=0.0, softcap=0.0):
    """(losses, gradient of the logits)"""
    slope = 1 - np.tanh(x / softcap)**2 if softcap else 1
    x = softcap * np.tanh(x / softcap) if softcap else x
    counts = target != IGNORE
    place = np.where(counts, target, 0)
    lse = np.log(np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1)) + x.max(axis=1)
    loss = lse - (1 - smoothing) * x[np.arange(len(x)), place] - smoothing * x.mean(axis=1) + z_loss * lse**2
    grad = np.exp(x - lse[:, None]) * (1 + 2 * z_loss * lse)[:, None] - smoothing / x.shape[1]
    grad[np.arange(len(x)), place] -= 1 - smoothing
    return np.where(counts, loss, 0) * scale, np.where(counts[:, None], grad, 0) * scale * slope


def test_loss(rows, columns, padding, dtype, smoothing=0.0, z_loss=0.0, softcap=0.0):
    what, tolerance = f"loss_and_gradient {rows}x{columns} {dtype} {smoothing} {z_loss} {softcap}", TOLERANCE[dtype]
    logits = random_array(rng, (rows, columns + padding), dtype, 2)
    target, scale, loss = rng.integers(0, columns, rows), np.array([0.25], np.float32), np.full(rows, 1e9, np.float32)
    if rows > 1:
        target[1] = IGNORE
    before = logits.values
    launch("loss_and_gradient", {"logits_ptr": logits.argument, "target_ptr": target, "scale_ptr": scale, "loss_ptr": loss, "logits_row_stride": columns + padding,
                                 "n_columns": columns, "ignore_index": IGNORE, "BLOCK": 32, "SMOOTHING": smoothing, "Z_LOSS": z_loss, "SOFTCAP": softcap},
           (rows, ))
    if not rows:
        return
    losses, grad = reference(before[:, :columns], target, 0.25, smoothing, z_loss, softcap)
    checks.close(loss, losses, what + ": loss", rtol=2e-5, atol=2e-5)
    checks.close(logits.values[:, :columns], grad, what + ": gradient", rtol=tolerance, atol=tolerance * 0.1)
    checks.equal(logits.values[:, columns:], before[:, columns:], what + ": nothing written past the end of a row")


def test_product(M, N, K, dtype, c_type):
    what = f"add_transposed_product {M}x{N}x{K} {dtype} to {c_type}"
    a, b, c = random_array(rng, (K, M + 3), dtype), random_array(rng, (K, N + 1), dtype), random_array(rng, (M, N + 2), c_type)
    before = c.values
    launch("add_transposed_product", {"a_ptr": a.argument, "b_ptr": b.argument, "c_ptr": c.argument, "M": M, "N": N, "K": K, "a_stride_k": M + 3, "b_stride_k": N + 1,
                                      "c_stride_m": N + 2, "BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 16, "GROUP_M": 2, "PRECISION": "ieee"}, (cdiv(M, 16) * cdiv(N, 32), ))
    expected = before[:, :N] + a.values[:, :M].T @ b.values[:, :N]
    checks.close(c.values[:, :N], expected, what, rtol=TOLERANCE[c_type], atol=10 * TOLERANCE[c_type])
    checks.equal(c.values[:, N:], before[:, N:], what + ": nothing written past the end of a row")


def test_blocks(M, N, K, dtype, c_type, add, programs):
    what = f"add_transposed_blocks {M}x{N}x{K} {dtype} to {c_type} add={add}"
    a_stride, b_stride = cdiv(M, 8) * 8 + 8, cdiv(N, 8) * 8
    a, b, c = random_array(rng, (K, a_stride), dtype), random_array(rng, (K, b_stride), dtype), random_array(rng, (M, N + 2), c_type)
    before = c.values.copy()
    launch("add_transposed_blocks", {"a_ptr": a.argument, "b_ptr": b.argument, "c_ptr": c.argument, "M": M, "N": N, "K": K, "a_stride_k": a_stride, "b_stride_k": b_stride, "c_stride_m": N + 2, "ADD": add,
                                     "BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32, "GROUP_M": 2, "PRECISION": "ieee"}, (programs, ))  # yapf: disable
    expected = a.values[:, :M].T @ b.values[:, :N] + (before[:, :N] if add else 0)
    tolerance = max(TOLERANCE[dtype], TOLERANCE[c_type])
    checks.close(c.values[:, :N], expected, what, rtol=tolerance, atol=tolerance * max(K, 1)**0.5)
    checks.equal(c.values[:, N:], before[:, N:], what + ": nothing past the end of a row")


for dtype in DTYPES:
    for add in (False, True):
        checks.run(f"add_transposed_blocks {dtype} add={add}", test_blocks, 70, 40, 50, dtype, dtype, add, 4)
    checks.run(f"add_transposed_blocks {dtype} to fp32", test_blocks, 20, 100, 0 if dtype == "fp32" else 33, dtype, "fp32", True, 2)
for dtype in DTYPES:
    for shape in ((5, 100, 3), (1, 1, 0), (3, 32, 0), (0, 9, 0)):
        checks.run(f"loss_and_gradient {shape} {dtype}", test_loss, *shape, dtype)
    checks.run(f"loss_and_gradient smoothed {dtype}", test_loss, 4, 70, 2, dtype, 0.1, 0.01, 3.0)
    for shape in ((40, 50, 60), (16, 32, 16), (5, 3, 7), (20, 20, 0)):
        checks.run(f"add_transposed_product {shape} {dtype}", test_product, *shape, dtype, "fp32")
    checks.run(f"add_transposed_product narrow {dtype}", test_product, 20, 40, 30, dtype, dtype)
checks.exit()

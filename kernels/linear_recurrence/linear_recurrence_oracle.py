"""linear_recurrence forward, backward and in chunks against a loop in float64: odd lengths and channels, with and without a first state, no steps."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, TOLERANCE, Array, Checks, cdiv, empty_array, kernel_file, launch, np, random_array

checks = Checks()
rng = np.random.default_rng(32)
FILE = kernel_file("linear_recurrence")


def recurrence(a, b, initial):
    h, state = np.zeros(b.shape), initial
    for t in range(b.shape[1]):
        state = a[:, t] * state + b[:, t]
        h[:, t] = state
    return h


def scanned(a, b, initial, dtype, chunks, reverse=False):
    """By the kernels, in `chunks` parts."""
    batch, length, channels = a.data.shape
    chunk = max(cdiv(length, chunks), 1)
    chunks = max(cdiv(length, chunk), 1)
    h, states = empty_array((batch, length, channels), dtype), None
    blocks = {"BLOCK_T": 8, "BLOCK_C": 16}
    first = None if initial is None else initial.argument
    if chunks > 1:
        chunk_a, chunk_b, states = (np.full((batch, chunks, channels), 1e9, np.float32) for _ in range(3))
        launch(FILE, "recurrence_chunks", {"a_ptr": a.argument, "b_ptr": b.argument, "chunk_a_ptr": chunk_a, "chunk_b_ptr": chunk_b, "length": length,
                                           "n_channels": channels, "chunk": chunk, "REVERSE": reverse} | blocks, grid=(cdiv(channels, 16), chunks, batch))
        launch(FILE, "linear_recurrence", {"a_ptr": chunk_a, "b_ptr": chunk_b, "initial_ptr": first, "states_ptr": None, "h_ptr": states, "length": chunks,
                                           "n_channels": channels, "chunk": chunks} | blocks, grid=(cdiv(channels, 16), 1, batch))
    launch(FILE, "linear_recurrence", {"a_ptr": a.argument, "b_ptr": b.argument, "initial_ptr": first, "states_ptr": states, "h_ptr": h.argument, "length": length,
                                       "n_channels": channels, "chunk": chunk, "REVERSE": reverse} | blocks, grid=(cdiv(channels, 16), chunks, batch))
    return h


def test(batch, length, channels, dtype, chunks=1, with_initial=True):
    what, tolerance = f"linear_recurrence {batch}x{length}x{channels} {dtype} in {chunks}", TOLERANCE[dtype]
    shape = (batch, length, channels)
    a, b, grad = Array(rng.uniform(-1, 1, shape), dtype), random_array(rng, shape, dtype), random_array(rng, shape, dtype)
    initial = random_array(rng, (batch, channels), dtype) if with_initial else None
    start = initial.values if with_initial else np.zeros((batch, channels))
    h = scanned(a, b, initial, dtype, chunks)
    expected = recurrence(a.values, b.values, start)
    checks.close(h.values, expected, what, rtol=tolerance, atol=2 * tolerance)
    grad_b = scanned(a, grad, None, dtype, chunks, reverse=True)
    shifted = np.concatenate([a.values[:, 1:], np.zeros((batch, min(length, 1), channels))], axis=1)
    expected_b = recurrence(shifted[:, ::-1], grad.values[:, ::-1], np.zeros((batch, channels)))[:, ::-1]
    checks.close(grad_b.values, expected_b, what + ": gradient of b", rtol=tolerance, atol=2 * tolerance)
    grad_a = empty_array(shape, dtype)
    launch(FILE, "recurrence_gradient_of_a", {"grad_b_ptr": grad_b.argument, "h_ptr": h.argument, "initial_ptr": initial.argument if with_initial else None,
                                              "grad_a_ptr": grad_a.argument, "length": length, "n_channels": channels, "BLOCK": 64},
           grid=(cdiv(length * channels, 64), batch))
    before = np.concatenate([start[:, None], h.values[:, :-1]], axis=1)[:, :length]
    checks.close(grad_a.values, grad_b.values * before, what + ": gradient of a", rtol=tolerance, atol=tolerance)


for dtype in DTYPES:
    for shape in ((2, 37, 20), (1, 1, 3), (3, 16, 16), (1, 50, 33)):
        for chunks in (1, 3):
            checks.run(f"linear_recurrence {shape} {dtype} {chunks}", test, *shape, dtype, chunks)
checks.run("linear_recurrence from 0", test, 2, 30, 5, "fp32", 2, False)
checks.run("linear_recurrence without steps", test, 2, 0, 5, "fp32")
checks.exit()

"""causal_conv1d forward, backward and by steps against float64: widths, states, both layouts, odd lengths, shorter than the width, nothing."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DEVICE, DTYPES, TOLERANCE, Array, Checks, Typed, cdiv, empty_array, kernel_file, launch, launch_once, np, random_array
import nereid_test

checks = Checks()
rng = np.random.default_rng(33)
FILE = kernel_file("causal_conv1d")


def convolved(x, weight, bias, state):
    """Before the activation, and the padded input."""
    width = weight.shape[1]
    padded = np.concatenate([state, x], axis=2)
    total = sum(weight[None, :, w, None] * padded[:, :, w:w + x.shape[2]] for w in range(width))
    return total + bias[None, :, None], padded


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test(batch, channels, length, width, dtype, silu=True, channels_last=False, with_state=True, with_bias=True):
    what, tolerance = f"causal_conv1d {batch}x{channels}x{length} width {width} {dtype} last={channels_last}", TOLERANCE[dtype]
    shape = (batch, length, channels) if channels_last else (batch, channels, length)
    x, grad_out = (random_array(rng, shape, dtype) for _ in range(2))
    out, grad_x = (empty_array(shape, dtype) for _ in range(2))
    weight, bias = random_array(rng, (channels, width), dtype), random_array(rng, channels, dtype)
    state = random_array(rng, (batch, channels, width - 1), dtype)
    view = (lambda values: values.swapaxes(1, 2)) if channels_last else (lambda values: values)
    steps = (shape[1] * shape[2], 1, channels) if channels_last else (shape[1] * shape[2], length, 1)

    def strides(name):
        return {f"{name}_stride_{axis}": step for axis, step in zip("bct", steps)}

    inputs = {"x_ptr": x.argument, "weight_ptr": weight.argument, "bias_ptr": bias.argument if with_bias else None, "state_ptr": state.argument if with_state else None,
              "n_channels": channels, "length": length, "WIDTH": width, "SILU": silu, "BLOCK_C": 4, "BLOCK_T": 16} | strides("x")
    times = cdiv(length, 16)
    grid = (times, cdiv(channels, 4), batch)
    launch(FILE, "causal_conv1d_forward", inputs | {"out_ptr": out.argument} | strides("out"), grid=grid)
    if width <= 4 and not with_state:
        again = empty_array(shape, dtype)
        launch(FILE, "causal_conv1d_forward", inputs | {"out_ptr": again.argument, "BY_EIGHT": True} | strides("out"), grid=grid)
        checks.close(again.values, out.values, what + ": by runs of eight", rtol=tolerance, atol=tolerance)
    partial = np.full((batch * times, width + 1, channels), 1e9, np.float32)
    launch(FILE, "causal_conv1d_backward", inputs | {"grad_out_ptr": grad_out.argument, "grad_x_ptr": grad_x.argument, "partial_ptr": partial} | strides("grad") |
           strides("grad_x"), grid=grid)
    if width <= 4 and not with_state:
        again, partial_again = empty_array(shape, dtype), np.full_like(partial, 1e9)
        launch(FILE, "causal_conv1d_backward", inputs | {"grad_out_ptr": grad_out.argument, "grad_x_ptr": again.argument, "partial_ptr": partial_again, "BY_EIGHT": True} | strides("grad") |
               strides("grad_x"), grid=grid)
        checks.close(again.values, grad_x.values, what + ": gradient of x by runs of eight", rtol=2 * tolerance, atol=2 * tolerance)
        checks.close(partial_again, partial, what + ": gradient of the weight by runs of eight", rtol=tolerance, atol=tolerance)
    before = state.values if with_state else np.zeros(state.data.shape)
    y, padded = convolved(view(x.values), weight.values, bias.values if with_bias else np.zeros(channels), before)
    checks.close(view(out.values), y * sigmoid(y) if silu else y, what, rtol=tolerance, atol=tolerance)
    slope = view(grad_out.values) * (sigmoid(y) * (1 + y * (1 - sigmoid(y))) if silu else 1)
    later = np.concatenate([slope, np.zeros((batch, channels, width - 1))], axis=2)
    expected = sum(weight.values[None, :, w, None] * later[:, :, width - 1 - w:width - 1 - w + length] for w in range(width))
    checks.close(view(grad_x.values), expected, what + ": grad_x", rtol=2 * tolerance, atol=2 * tolerance)
    grads = [(slope * padded[:, :, w:w + length]).sum(axis=(0, 2)) for w in range(width)] + [slope.sum(axis=(0, 2))]
    checks.close(partial.sum(axis=0), np.array(grads).reshape(width + 1, channels), what + ": grad of weight and bias", rtol=1e-4, atol=1e-4)


def copied(value):
    if isinstance(value, Typed):
        return Typed(value.array.copy(), value.dtype)
    return value.copy() if isinstance(value, np.ndarray) else value


def test_steps(batch, channels, width, dtype, steps=5):
    """Step by step it is what it is at once."""
    what, tolerance = f"causal_conv1d_update {batch}x{channels} width {width} {dtype}", TOLERANCE[dtype]
    weight, bias = random_array(rng, (channels, width), dtype), random_array(rng, channels, dtype)
    state, xs = random_array(rng, (batch, channels, width - 1), dtype), [random_array(rng, (batch, channels + 2), dtype) for _ in range(steps)]
    y, padded = convolved(np.stack([x.values[:, :channels] for x in xs], axis=2), weight.values, bias.values, state.values)
    for t, x in enumerate(xs):
        out = empty_array((batch, channels), dtype)
        arguments = {"x_ptr": x.argument, "weight_ptr": weight.argument, "bias_ptr": bias.argument, "state_ptr": state.argument, "out_ptr": out.argument,
                     "x_stride_b": channels + 2, "out_stride_b": channels, "n_channels": channels, "WIDTH": width, "SILU": True, "BLOCK": 8}
        if DEVICE == "interp":  # the state is updated: the checker gets a copy
            nereid_test.launch(FILE, "causal_conv1d_update", {name: copied(value) for name, value in arguments.items()}, check=True, grid=(cdiv(channels, 8), batch))
        launch_once(FILE, "causal_conv1d_update", arguments, grid=(cdiv(channels, 8), batch))
        checks.close(out.values, y[:, :, t] * sigmoid(y[:, :, t]), f"{what}: step {t}", rtol=tolerance, atol=tolerance)
    checks.equal(state.values, Array(padded[:, :, steps:], dtype).values, what + ": state")


for dtype in DTYPES:
    for shape in ((2, 5, 37, 4), (1, 4, 16, 2), (2, 3, 2, 4), (1, 6, 20, 3)):
        for channels_last in (False, True):
            checks.run(f"causal_conv1d {shape} {dtype}", test, *shape, dtype, True, channels_last)
    checks.run(f"causal_conv1d without silu, state and bias {dtype}", test, 2, 5, 20, 4, dtype, False, False, False, False)
    for width in (2, 4):
        checks.run(f"causal_conv1d_update {width} {dtype}", test_steps, 2, 11, width, dtype)
checks.run("causal_conv1d of no elements", test, 2, 3, 0, 4, "fp32")
checks.exit()

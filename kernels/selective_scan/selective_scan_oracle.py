"""selective_scan forward, backward and by steps against a loop in float64: odd sizes, groups, with and without each option, no steps."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(46)
FILE = kernel_file("selective_scan")
TOLERANCE = {"fp32": 5e-5, "fp16": 6e-3, "bf16": 5e-2}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def loop(u, delta, a, b, c, d, z, bias, state, softplus, grad, grad_final):
    """(out, last state, gradients of u, delta, z, a, b, c, d and bias by batch); b and c [batch, channels, states, length]"""
    x = delta + bias[:, None]
    step = np.log1p(np.exp(x)) if softplus else x
    states, y = [state], np.zeros_like(u)
    for t in range(u.shape[2]):
        states.append(np.exp(step[:, :, t, None] * a) * states[-1] + (step * u)[:, :, t, None] * b[..., t])
        y[:, :, t] = (states[-1] * c[..., t]).sum(axis=2) + d * u[:, :, t]
    gate = 1 if z is None else z * sigmoid(z)
    grad_z = None if z is None else grad * y * sigmoid(z) * (1 + z * (1 - sigmoid(z)))
    grad = grad * gate
    grad_u, grad_step, grad_a, grad_b, grad_c = d[:, None] * grad, np.zeros_like(u), np.zeros((u.shape[0], *a.shape)), np.zeros_like(b), np.zeros_like(c)
    carried = grad_final.copy()
    for t in reversed(range(u.shape[2])):
        carried = carried + grad[:, :, t, None] * c[..., t]
        decay = np.exp(step[:, :, t, None] * a)
        grad_c[..., t] = states[t + 1] * grad[:, :, t, None]
        grad_b[..., t] = carried * (step * u)[:, :, t, None]
        grad_u[:, :, t] += (carried * b[..., t]).sum(axis=2) * step[:, :, t]
        grad_step[:, :, t] = (carried * (b[..., t] * u[:, :, t, None] + a * decay * states[t])).sum(axis=2)
        grad_a += carried * step[:, :, t, None] * decay * states[t]
        carried = carried * decay
    grad_delta = grad_step * (sigmoid(x) if softplus else 1)
    return y * gate, states[-1], grad_u, grad_delta, grad_z, grad_a, grad_b, grad_c, (grad * u).sum(axis=2), grad_delta.sum(axis=2)


def test(batch, channels, length, states, groups, dtype, softplus=True, with_options=True, block_t=8):
    what, tolerance = f"selective_scan {batch}x{channels}x{length} states={states} groups={groups} {dtype} softplus={softplus} options={with_options}", TOLERANCE[dtype]
    block_c = 2 if channels // groups % 2 == 0 else 1
    u, delta, z, grad = (random_array(rng, (batch, channels, length), dtype) for _ in range(4))
    delta.data = delta.data if softplus else random_array(rng, delta.data.shape, dtype, 0.1).data
    b, c = (random_array(rng, (batch, groups, states, length), dtype) for _ in range(2))
    a, d, bias = -rng.random((channels, states)).astype(np.float32), *rng.standard_normal((2, channels)).astype(np.float32)
    initial, grad_final = rng.standard_normal((2, batch, channels, states)).astype(np.float32)
    blocks = cdiv(length, block_t)
    kept, final = np.full((batch, blocks, channels, states), 1e9, np.float32), np.full((batch, channels, states), 1e9, np.float32)
    out, grad_u, grad_delta, grad_z = (empty_array(u.data.shape, dtype) for _ in range(4))

    def steps(name, *shape):
        sizes = [int(np.prod(shape[i + 1:])) for i in range(len(shape))]
        return {f"{name}_stride_{axis}": step for axis, step in zip("bct" if len(shape) == 3 else "bgst", sizes)}

    sizes = {"n_channels": channels, "length": length, "per_group": channels // groups, "STATES": states, "SOFTPLUS": softplus, "BLOCK_C": block_c, "BLOCK_S": power_of_two(states), "BLOCK_T": block_t}
    common = {"u_ptr": u.argument, "delta_ptr": delta.argument, "a_ptr": a, "b_ptr": b.argument, "c_ptr": c.argument, "d_ptr": d if with_options else None,
              "z_ptr": z.argument if with_options else None, "bias_ptr": bias if with_options else None, "states_ptr": kept} | sizes
    for name, x in (("u", u), ("delta", delta), ("z", z), ("b", b), ("c", c)):
        common |= steps(name, *x.data.shape)
    grid = (cdiv(channels, block_c), batch)
    launch(FILE, "selective_scan_forward", common | steps("out", *u.data.shape) | {"initial_ptr": initial if with_options else None, "out_ptr": out.argument, "final_ptr": final}, grid=grid)
    if block_t % 8 == 0:
        again, kept_again, final_again = empty_array(u.data.shape, dtype), np.full_like(kept, 1e9), np.full_like(final, 1e9)
        launch(FILE, "selective_scan_steps", common | steps("out", *u.data.shape) | {"initial_ptr": initial if with_options else None, "out_ptr": again.argument, "final_ptr": final_again,
                                                                                      "states_ptr": kept_again}, grid=grid)
        for name, found, right in (("out", again.values, out.values), ("states", kept_again, kept), ("final state", final_again, final)):
            checks.close(found, right, f"{what}: {name}, step by step", rtol=tolerance, atol=tolerance * max(1, abs(right).max(initial=0)))
    wide = [np.repeat(x.values, channels // groups, axis=1) for x in (b, c)]
    zero = np.zeros(channels)
    expected = loop(u.values, delta.values, a.astype(float), *wide, d.astype(float) if with_options else zero, z.values if with_options else None, bias.astype(float) if with_options else zero,
                    initial.astype(float) if with_options else np.zeros(initial.shape), softplus, grad.values, grad_final.astype(float))

    def close(actual, value, name):
        checks.close(actual, value, f"{what}: {name}", rtol=tolerance, atol=tolerance * max(1, abs(value).max(initial=0)))

    close(out.values, expected[0], "out")
    close(final, expected[1], "final state")
    grad_a, (grad_d, grad_bias) = np.full((batch, channels, states), 1e9, np.float32), np.full((2, batch, channels), 1e9, np.float32)
    grad_b, grad_c = (np.full((batch, grid[0], states, length), 1e9, np.float32) for _ in range(2))
    launch(FILE, "selective_scan_backward", common | steps("grad", *u.data.shape) | {
        "grad_ptr": grad.argument, "grad_final_ptr": grad_final, "grad_u_ptr": grad_u.argument, "grad_delta_ptr": grad_delta.argument, "grad_z_ptr": grad_z.argument if with_options else None, "grad_a_ptr": grad_a,
        "grad_b_ptr": grad_b, "grad_c_ptr": grad_c, "grad_d_ptr": grad_d, "grad_bias_ptr": grad_bias}, grid=grid)
    by_group = [x.reshape(batch, groups, x.shape[1] // groups, states, length).sum(axis=2) for x in (grad_b, grad_c, expected[6], expected[7])]
    rows = [("u", grad_u.values, expected[2]), ("delta", grad_delta.values, expected[3]), ("a", grad_a, expected[5]), ("b", by_group[0], by_group[2]), ("c", by_group[1], by_group[3]),
            ("d", grad_d, expected[8]), ("bias", grad_bias, expected[9])]
    for name, actual, value in rows + ([("z", grad_z.values, expected[4])] if with_options else []):
        close(actual, value, f"gradient of {name}")


def test_step(dtype):
    batch, channels, states, groups = 2, 6, 5, 2
    u, delta, z = (random_array(rng, (batch, channels), dtype) for _ in range(3))
    b, c, out = *(random_array(rng, (batch, groups, states), dtype) for _ in range(2)), empty_array((batch, channels), dtype)
    a, d, bias = -rng.random((channels, states)).astype(np.float32), *rng.standard_normal((2, channels)).astype(np.float32)
    state = rng.standard_normal((batch, channels, states)).astype(np.float32)
    wide = [np.repeat(x.values, channels // groups, axis=1)[..., None] for x in (b, c)]
    expected = loop(u.values[..., None], delta.values[..., None], a.astype(float), *wide, d.astype(float), z.values[..., None], bias.astype(float), state.astype(float), True, np.zeros((batch, channels, 1)), np.zeros(state.shape))
    launch_once(FILE, "selective_scan_step", {"state_ptr": state, "u_ptr": u.argument, "delta_ptr": delta.argument, "a_ptr": a, "b_ptr": b.argument, "c_ptr": c.argument, "d_ptr": d, "z_ptr": z.argument,
                                              "bias_ptr": bias, "out_ptr": out.argument, "n_channels": channels, "per_group": channels // groups, "STATES": states, "SOFTPLUS": True,
                                              "BLOCK_C": 4, "BLOCK_S": 8}, grid=(2, batch))
    checks.close(out.values, expected[0][..., 0], f"selective_scan_step {dtype}", rtol=TOLERANCE[dtype], atol=2 * TOLERANCE[dtype])
    checks.close(state, expected[1], f"selective_scan_step {dtype}: state", rtol=1e-5, atol=1e-5)


for dtype in DTYPES:
    checks.run(f"selective_scan {dtype}", test, 2, 6, 21, 4, 1, dtype)
    checks.run(f"selective_scan_step {dtype}", test_step, dtype)
checks.run("selective_scan of groups", test, 2, 6, 16, 5, 2, "fp32", False, True)
checks.run("selective_scan without options", test, 1, 5, 19, 3, 1, "fp32", True, False)
checks.run("selective_scan of one step", test, 1, 2, 1, 1, 1, "fp32")
checks.run("selective_scan without steps", test, 1, 2, 0, 4, 1, "fp32")
checks.run("selective_scan in longer blocks", test, 1, 2, 40, 4, 1, "fp32", block_t=16)
checks.exit()

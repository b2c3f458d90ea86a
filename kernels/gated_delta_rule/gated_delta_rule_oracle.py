"""gated_delta_rule in chunks, its gradients, and by steps against a loop in float64: odd lengths and sizes, shared heads, with and without fading and states, no steps."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Array, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(47)
FILE = kernel_file("gated_delta_rule")
TOLERANCE = {"fp32": 3e-5, "fp16": 5e-3, "bf16": 5e-2}


def loop(q, k, v, g, beta, state):
    out = np.zeros(v.shape)
    for t in range(q.shape[2]):
        state = np.exp(g[:, :, t])[..., None, None] * state
        corrected = beta[:, :, t, None] * (v[:, :, t] - np.einsum("bhk,bhkv->bhv", k[:, :, t], state))
        state = state + k[:, :, t, :, None] * corrected[:, :, None]
        out[:, :, t] = np.einsum("bhk,bhkv->bhv", q[:, :, t], state)
    return out, state


def loop_backward(q, k, v, g, beta, state, grad_out, grad_state):
    """Gradients of q, k, v, g, beta and the first state."""
    states, grads = [state], [np.zeros(x.shape) for x in (q, k, v, g, beta)]
    for t in range(q.shape[2]):
        states.append(loop(*(x[:, :, t:t + 1] for x in (q, k, v, g, beta)), states[-1])[1])
    for t in range(q.shape[2])[::-1]:
        faded = np.exp(g[:, :, t])[..., None, None] * states[t]
        missing = v[:, :, t] - np.einsum("bhk,bhkv->bhv", k[:, :, t], faded)
        grad_state = grad_state + q[:, :, t, :, None] * grad_out[:, :, t, None]
        grads[0][:, :, t] = np.einsum("bhkv,bhv->bhk", states[t + 1], grad_out[:, :, t])
        grad_corrected = np.einsum("bhk,bhkv->bhv", k[:, :, t], grad_state)
        grads[1][:, :, t] = np.einsum("bhkv,bhv->bhk", grad_state, beta[:, :, t, None] * missing)
        grads[4][:, :, t] = (grad_corrected * missing).sum(axis=-1)
        grads[2][:, :, t] = beta[:, :, t, None] * grad_corrected
        grads[1][:, :, t] -= np.einsum("bhkv,bhv->bhk", faded, grads[2][:, :, t])
        grad_state = grad_state - k[:, :, t, :, None] * grads[2][:, :, t, None]
        grads[3][:, :, t] = (grad_state * faded).sum(axis=(-2, -1))
        grad_state = np.exp(g[:, :, t])[..., None, None] * grad_state
    return *grads, grad_state


def keys(shape, dtype):
    """Of length 1, as the models have them."""
    x = rng.standard_normal(shape)
    return Array(x / np.linalg.norm(x, axis=-1, keepdims=True), dtype)


def test(batch, heads, group, length, dk, dv, dtype, with_options=True, block_t=16, part=None, alike=False):
    what, tolerance = f"gated_delta_rule {batch}x{heads}/{group}x{length} {dk}x{dv} {dtype} options={with_options}", TOLERANCE[dtype]
    q, k = (keys((batch, heads // group, length, dk), dtype) for _ in range(2))
    if alike:
        k.data[:] = k.data[:, :, :1]
    v, out = random_array(rng, (batch, heads, length, dv), dtype), empty_array((batch, heads, length, dv), dtype)
    beta, g = Array(rng.random((batch, heads, length)), dtype), -rng.random((batch, heads, length)).astype(np.float32) if with_options else None
    initial = rng.standard_normal((batch, heads, dk, dv)).astype(np.float32) if with_options else None
    final, steps = np.full((batch, heads, dk, dv), 1e9, np.float32), {}
    for name, x in (("q", q), ("k", k), ("v", v), ("out", out)):
        _, n, _, width = x.data.shape
        steps |= {f"{name}_stride_b": n * length * width, f"{name}_stride_h": length * width, f"{name}_stride_t": width}
    for name in ("g", "beta"):
        steps |= {f"{name}_stride_b": heads * length, f"{name}_stride_h": length, f"{name}_stride_t": 1}
    states = np.full((batch, heads, cdiv(length, block_t), dk, dv), 1e9, np.float32)
    chunks, padded = cdiv(length, block_t), max(16, power_of_two(dk))
    sums, score = np.full((batch, heads, length), 1e9, np.float32), empty_array((batch, heads, chunks, block_t, block_t), dtype)
    w, u = (empty_array((batch, heads, length, width), dtype) for width in (dk, dv))
    sizes = {"heads": heads, "group": group, "length": length, "DK": dk, "DV": dv, "BLOCK_T": block_t, "BLOCK_K": padded, "PRECISION": "ieee"}
    made = {"sums_ptr": sums, "w_ptr": w.argument, "u_ptr": u.argument, "score_ptr": score.argument}
    launch(FILE, "gated_delta_rule_chunks", {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "g_ptr": g, "beta_ptr": beta.argument, **made,
                                             **{name: step for name, step in steps.items() if not name.startswith("out")}, **sizes, "PART": part or block_t, "BLOCK_V": max(16, power_of_two(dv))}, grid=(chunks, batch * heads))
    alone = np.full_like(states, 1e9)
    for result, end, before in ((out.argument, final, states), (None, None, alone)):
        launch(FILE, "gated_delta_rule", {"q_ptr": q.argument, "k_ptr": k.argument, **made, "score_ptr": None if result is None else score.argument, "initial_ptr": initial, "out_ptr": result, "final_ptr": end,
                                          "states_ptr": before, "scale": 0.5, **{name: step for name, step in steps.items() if name[:2] in ("q_", "k_", "ou")}, **sizes, "BLOCK_V": 16}, grid=(cdiv(dv, 16), batch * heads))
    checks.close(alone, states, what + ": states without out", rtol=1e-6, atol=1e-6)
    wide = [np.repeat(x.values, group, axis=1) for x in (q, k)]
    expected, last = loop(*wide, v.values, np.zeros(beta.data.shape) if g is None else g.astype(float), beta.values, np.zeros(final.shape) if initial is None else initial.astype(float))
    checks.close(out.values, 0.5 * expected, what, rtol=tolerance, atol=tolerance)
    checks.close(final, last, what + ": final state", rtol=tolerance, atol=tolerance)
    grad_out, grad_final = random_array(rng, v.data.shape, dtype), rng.standard_normal(final.shape).astype(np.float32) if with_options else None
    shares = cdiv(dv, 16)
    grad_q, grad_k = (np.full((shares, batch, heads, length, dk), 1e9, np.float32) for _ in range(2))
    grad_g, grad_beta = (np.full((shares, batch, heads, length), 1e9, np.float32) for _ in range(2))
    grad_v, grad_initial = empty_array(v.data.shape, dtype), np.full(final.shape, 1e9, np.float32) if with_options else None
    steps = {name.replace("out_", "grad_"): value for name, value in steps.items()}
    launch(FILE, "gated_delta_rule_backward", {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "g_ptr": g, "beta_ptr": beta.argument, "states_ptr": states, "grad_out_ptr": grad_out.argument,
                                               "grad_final_ptr": grad_final, "grad_q_ptr": grad_q, "grad_k_ptr": grad_k, "grad_v_ptr": grad_v.argument, "grad_g_ptr": None if g is None else grad_g,
                                               "grad_beta_ptr": grad_beta, "grad_initial_ptr": grad_initial, "scale": 0.5, **steps, "heads": heads, "group": group, "length": length, "DK": dk, "DV": dv,
                                               "BLOCK_T": block_t, "BLOCK_K": max(16, power_of_two(dk)), "BLOCK_V": 16, "PRECISION": "ieee"}, grid=(shares, batch * heads))
    given = np.zeros(beta.data.shape) if g is None else g.astype(float), beta.values, np.zeros(final.shape) if initial is None else initial.astype(float)
    expected = loop_backward(*wide, v.values, *given, 0.5 * grad_out.values, np.zeros(final.shape) if grad_final is None else grad_final.astype(float))
    for name, found, wanted in zip(("q", "k", "v", "g", "beta", "initial"), (grad_q.sum(axis=0), grad_k.sum(axis=0), grad_v.values, grad_g.sum(axis=0), grad_beta.sum(axis=0), grad_initial), expected):
        if found is not None and not (name == "g" and g is None):
            checks.close(found, wanted, f"{what}: gradient of {name}", rtol=3 * tolerance, atol=6 * tolerance)
    summed = empty_array(q.data.shape, dtype)
    launch(FILE, "sum_of_shares", {"x_ptr": grad_q, "out_ptr": summed.argument, "size": length * dk, "shares": shares, "group": group, "BLOCK": 64}, grid=(cdiv(length * dk, 64), batch * heads // group))
    checks.close(summed.values, grad_q.sum(axis=0).reshape(batch, heads // group, group, length, dk).sum(axis=2), what + ": sum_of_shares", rtol=tolerance, atol=tolerance)


def test_step(dtype, group):
    batch, heads, dk, dv = 2, 4, 20, 24
    q, k = (keys((batch, heads // group, dk), dtype) for _ in range(2))
    v, out = random_array(rng, (batch, heads, dv), dtype), empty_array((batch, heads, dv), dtype)
    beta, g = Array(rng.random((batch, heads)), dtype), -rng.random((batch, heads)).astype(np.float32)
    state = rng.standard_normal((batch, heads, dk, dv)).astype(np.float32)
    wide = [np.repeat(x.values, group, axis=1)[:, :, None] for x in (q, k)]
    expected, last = loop(*wide, v.values[:, :, None], g.astype(float)[:, :, None], beta.values[:, :, None], state.astype(float))
    launch_once(FILE, "gated_delta_rule_step", {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "g_ptr": g, "beta_ptr": beta.argument, "state_ptr": state, "out_ptr": out.argument,
                                                "scale": 2.0, "heads": heads, "group": group, "DK": dk, "DV": dv, "BLOCK_K": 32, "BLOCK_V": 16}, grid=(2, batch * heads))
    checks.close(out.values, 2 * expected[:, :, 0], f"gated_delta_rule_step {dtype}", rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    checks.close(state, last, f"gated_delta_rule_step {dtype}: state", rtol=1e-5, atol=1e-5)


for dtype in DTYPES:
    checks.run(f"gated_delta_rule {dtype}", test, 2, 2, 1, 37, 16, 16, dtype)
    checks.run(f"gated_delta_rule {dtype}, shared heads", test, 1, 4, 2, 33, 20, 24, dtype, block_t=32)
    checks.run(f"gated_delta_rule {dtype}, chunks of two parts", test, 1, 2, 2, 75, 16, 20, dtype, block_t=32, part=16)
    checks.run(f"gated_delta_rule_step {dtype}", test_step, dtype, 2)
checks.run("gated_delta_rule without options", test, 1, 2, 1, 40, 32, 16, "fp32", False)
checks.run("gated_delta_rule in a long chunk", test, 1, 1, 1, 70, 16, 16, "fp32", False, 64)
checks.run("gated_delta_rule of keys that are all alike", test, 1, 1, 1, 64, 16, 16, "fp32", False, 32, alike=True)
checks.run("gated_delta_rule of one step", test, 1, 1, 1, 1, 5, 5, "fp32")
checks.run("gated_delta_rule without steps", test, 1, 1, 1, 0, 16, 16, "fp32")
checks.exit()

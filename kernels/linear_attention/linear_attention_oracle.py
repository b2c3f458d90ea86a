"""linear_attention forward, backwards, its gradients and its step against a loop in float64: odd lengths and sizes, shared heads, with and without decay and states, no steps."""
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from oracle import DTYPES, Checks, cdiv, empty_array, kernel_file, launch, launch_once, np, power_of_two, random_array

checks = Checks()
rng = np.random.default_rng(45)
FILE = kernel_file("linear_attention")
TOLERANCE = {"fp32": 3e-5, "fp16": 5e-3, "bf16": 4e-2}


def loop(q, k, v, g, state):
    """(o, the last state)"""
    out, state = np.zeros((*q.shape[:3], v.shape[3])), state.copy()
    for t in range(q.shape[2]):
        state = np.exp(g[:, :, t])[..., None, None] * state + k[:, :, t, :, None] * v[:, :, t, None, :]
        out[:, :, t] = np.einsum("bhk,bhkv->bhv", q[:, :, t], state)
    return out, state


def gradients(q, k, v, g, state, grad, grad_final):
    """Of q, k, v, g and the first state, by the same loop backwards."""
    states, found = [state], [np.zeros_like(each) for each in (q, k, v, g)]
    for t in range(q.shape[2]):
        states.append(np.exp(g[:, :, t])[..., None, None] * states[-1] + k[:, :, t, :, None] * v[:, :, t, None, :])
    carried = grad_final.copy()
    for t in reversed(range(q.shape[2])):
        found[0][:, :, t] = np.einsum("bhv,bhkv->bhk", grad[:, :, t], states[t + 1])
        carried += q[:, :, t, :, None] * grad[:, :, t, None, :]
        found[1][:, :, t], found[2][:, :, t] = np.einsum("bhkv,bhv->bhk", carried, v[:, :, t]), np.einsum("bhkv,bhk->bhv", carried, k[:, :, t])
        faded = np.exp(g[:, :, t])[..., None, None] * carried
        found[3][:, :, t] = (faded * states[t]).sum(axis=(2, 3))
        carried = faded
    return *found, carried


def run(q, k, v, g, initial, dtype, groups, reverse=False, turned=False, scale=1.0, final=None, block_t=16, weights=None):
    batch, length = q.data.shape[0], q.data.shape[2]
    heads, dk, dv = max(x.data.shape[1] * group for x, group in zip((q, k, v), groups)), q.data.shape[3], v.data.shape[3]
    out = empty_array((batch, heads, length, dv), dtype)
    steps = {}
    for name, x in (("q", q), ("k", k), ("v", v), ("out", out)):
        _, n, _, width = x.data.shape
        steps |= {f"{name}_stride_b": n * length * width, f"{name}_stride_h": length * width, f"{name}_stride_t": width}
    block_v = 16
    launch(FILE, "linear_attention", {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "g_ptr": g, "initial_ptr": initial, "out_ptr": out.argument, "final_ptr": final,
                                      "scale": scale, **steps, "state_stride_k": 1 if turned else dv, "state_stride_v": dk if turned else 1, "heads": heads,
                                      **dict(zip(("group_q", "group_k", "group_v"), groups)), "length": length, "DK": dk, "DV": dv, "BLOCK_T": block_t,
                                      "BLOCK_K": max(16, power_of_two(dk)), "BLOCK_V": block_v, "REVERSE": reverse, "PRECISION": "ieee", "weights_ptr": weights}, grid=(cdiv(dv, block_v), batch * heads))
    return out


def test(batch, heads, group, length, dk, dv, dtype, with_decay=True, with_state=True):
    what, tolerance = f"linear_attention {batch}x{heads}/{group}x{length} {dk}x{dv} {dtype} decay={with_decay} state={with_state}", TOLERANCE[dtype]
    q, k = (random_array(rng, (batch, heads // group, length, dk), dtype, 0.5) for _ in range(2))
    v, grad = (random_array(rng, (batch, heads, length, dv), dtype) for _ in range(2))
    g = -rng.random((batch, heads, length)).astype(np.float32) if with_decay else None
    initial, grad_final = (rng.standard_normal((batch, heads, dk, dv)).astype(np.float32) if with_state else None for _ in range(2))
    final, grad_initial = (np.full((batch, heads, dk, dv), 1e9, np.float32) for _ in range(2))
    wide_q, wide_k = (np.repeat(x.values, group, axis=1) for x in (q, k))
    wide_g, zero = np.zeros((batch, heads, length)) if g is None else g.astype(np.float64), np.zeros((batch, heads, dk, dv))
    start, end = (zero if x is None else x.astype(np.float64) for x in (initial, grad_final))
    out = run(q, k, v, g, initial, dtype, (group, group, 1), final=final, scale=0.5)
    expected, last = loop(wide_q, wide_k, v.values, wide_g, start)

    def close(actual, value, name):
        checks.close(actual, value, f"{what}: {name}", rtol=tolerance, atol=tolerance * max(1, abs(value).max(initial=0)))

    close(out.values, 0.5 * expected, "out")
    close(final, last, "final state")
    weights = rng.random((batch, heads, length)).astype(np.float32)
    out = run(q, k, v, g, initial, dtype, (group, group, 1), final=final, scale=0.5, weights=weights)
    expected, last = loop(wide_q, wide_k, v.values * weights[..., None], wide_g, start)
    close(out.values, 0.5 * expected, "out with weights")
    close(final, last, "final state with weights")
    grad_q = run(grad, v, k, g, initial, "fp32", (1, 1, group), turned=True)
    grad_k = run(v, grad, q, g, grad_final, "fp32", (1, 1, group), reverse=True, turned=True)
    grad_v = run(k, q, grad, g, grad_final, "fp32", (group, group, 1), reverse=True, final=grad_initial)
    expected = gradients(wide_q, wide_k, v.values, wide_g, start, grad.values, end)
    for name, actual, value in zip(("q", "k", "v"), (grad_q, grad_k, grad_v), expected):
        close(actual.values, value, f"gradient of {name}")
    close(grad_initial, expected[4], "gradient of the first state")
    if with_decay and not with_state:
        grad_g, blocks = np.full((batch, heads, length), 1e9, np.float32), {"DK": dk, "BLOCK_T": 16, "BLOCK_K": max(16, power_of_two(dk))}
        steps = {f"{name}_stride_{axis}": step for name in "qk" for axis, step in zip("bht", (heads // group * length * dk, length * dk, dk))}
        launch(FILE, "linear_attention_decay_gradient", {"q_ptr": q.argument, "grad_q_ptr": grad_q.argument, "k_ptr": k.argument, "grad_k_ptr": grad_k.argument,
                                                         "grad_g_ptr": grad_g, **steps, "heads": heads, "group_q": group, "group_k": group, "length": length} | blocks,
               grid=(batch * heads, ))
        close(grad_g, expected[3], "gradient of g")


def test_step(dtype, group):
    batch, heads, dk, dv = 2, 4, 20, 24
    q, k = (random_array(rng, (batch, heads // group, dk), dtype) for _ in range(2))
    v, out, g = random_array(rng, (batch, heads, dv), dtype), empty_array((batch, heads, dv), dtype), -rng.random((batch, heads)).astype(np.float32)
    state = rng.standard_normal((batch, heads, dk, dv)).astype(np.float32)
    wide = [np.repeat(x.values, group, axis=1)[:, :, None] for x in (q, k)]
    expected, last = loop(*wide, v.values[:, :, None], g.astype(np.float64)[:, :, None], state.astype(np.float64))
    launch_once(FILE, "linear_attention_step", {"q_ptr": q.argument, "k_ptr": k.argument, "v_ptr": v.argument, "g_ptr": g, "state_ptr": state, "out_ptr": out.argument, "scale": 2.0,
                                                "heads": heads, "group": group, "DK": dk, "DV": dv, "BLOCK_K": 32, "BLOCK_V": 16}, grid=(2, batch * heads))
    checks.close(out.values, 2 * expected[:, :, 0], f"linear_attention_step {dtype} {group}", rtol=TOLERANCE[dtype], atol=10 * TOLERANCE[dtype])
    checks.close(state, last, f"linear_attention_step {dtype} {group}: state", rtol=1e-5, atol=1e-5)


for dtype in DTYPES:
    checks.run(f"linear_attention {dtype}", test, 2, 2, 1, 37, 16, 16, dtype)
    checks.run(f"linear_attention {dtype}, shared heads", test, 1, 4, 2, 20, 20, 24, dtype, True, False)
    checks.run(f"linear_attention_step {dtype}", test_step, dtype, 1 if dtype == "fp16" else 2)
checks.run("linear_attention without decay", test, 1, 2, 1, 33, 16, 32, "fp32", False, False)
checks.run("linear_attention without decay, with states", test, 1, 2, 2, 16, 16, 16, "fp32", False, True)
checks.run("linear_attention of one step", test, 1, 1, 1, 1, 16, 5, "fp32")
checks.run("linear_attention without steps", test, 1, 2, 1, 0, 16, 16, "fp32")
checks.exit()

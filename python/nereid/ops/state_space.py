"""Sequences through a state: linear attention and Mamba-2's scan."""
from __future__ import annotations

from ._arrays import contiguous, converted, dtype_name, empty, is_differentiated, is_torch, on_gpu, require, require_floats, require_shape, strides, unit_rows
from ._declare import op
from ._library import cdiv, launch, multiprocessors, power_of_two


def _sum(out, q, k, v, g, initial, final, reverse, turned, scale, weights=None):
    """The sum of kernels/linear_attention with other names for its operands."""
    batch, heads, length, dv = out.shape
    dk, block_v = q.shape[3], min(max(power_of_two(dv), 16), 64)
    block_t = min(max(power_of_two(length), 16), 64 if on_gpu(q) and dtype_name(q) != "float32" else 32)
    launch("linear_attention", "linear_attention", (cdiv(dv, block_v), batch * heads), q, k, v, g, initial, out, final, scale,
           *(step for x in (q, k, v, out) for step in strides(x)[:3]), 1 if turned else dv, dk if turned else 1, heads, *(heads // x.shape[1] for x in (q, k, v)),
           length, dk, dv, block_t, max(power_of_two(dk), 16), block_v, reverse, "ieee", weights)


def _given(*arrays):
    return [None if x is None else contiguous(x) for x in arrays]


def _require_attention(q, k, v, g, initial_state):
    require_floats(q=q, k=k, v=v)
    require(len(q.shape) == 4 and len(v.shape) == 4, "`q` and `v` have four axes")
    batch, heads, length, dv = v.shape
    require_shape("q", q, (batch, q.shape[1], length, q.shape[3]))
    require_shape("k", k, q.shape)
    require(q.shape[1] > 0 and heads % q.shape[1] == 0, f"`v` has {heads} heads, which is no multiple of the {q.shape[1]} heads of `q`")
    require(q.shape[3] <= 256 and dv <= 256, f"heads have {q.shape[3]} and {dv} elements, but at most 256 are expected")
    require(q.dtype == k.dtype == v.dtype, f"`q`, `k` and `v` have types {dtype_name(q)}, {dtype_name(k)} and {dtype_name(v)}, but one is expected")
    for name, x, shape in (("g", g, (batch, heads, length)), ("initial_state", initial_state, (batch, heads, q.shape[3], dv))):
        if x is not None:
            require_shape(name, x, shape)
            require(dtype_name(x) == "float32", f"`{name}` has type {dtype_name(x)}, but float32 is expected")


@op("out final")
def linear_attention(q: Array, k: Array, v: Array, g: Array | None = None, initial_state: Array | None = None, scale: float = 1.0):
    """o[i] = scale * sum over j <= i of exp(g[j + 1] + … + g[i]) (q[i] · k[j]) v[j] of q, k [batch, heads of q, length, dim] and v [batch, heads, length, dim of v], and the state
    behind the last step. g: float32 [batch, heads, length], no decay if missing; initial_state: float32 [batch, heads, dim, dim of v]."""
    _require_attention(q, k, v, g, initial_state)
    out, final = empty(v, v.shape), empty(v, (*v.shape[:2], q.shape[3], v.shape[3]), "float32")
    yield out, final
    _sum(out, *map(unit_rows, (q, k, v)), *_given(g, initial_state), final, False, False, scale)


@op("out final")
def weighted_linear_attention(q: Array, k: Array, v: Array, g: Array, weights: Array, initial_state: Array | None = None):
    """`linear_attention` where v[j] counts weights[j] times, float32 [batch, heads, length]: the core of `mamba_chunk_scan_combined` where no gradient is asked for."""
    _require_attention(q, k, v, g, initial_state)
    require_shape("weights", weights, v.shape[:3])
    require(dtype_name(weights) == "float32", f"`weights` has type {dtype_name(weights)}, but float32 is expected")
    out, final = empty(v, v.shape), empty(v, (*v.shape[:2], q.shape[3], v.shape[3]), "float32")
    yield out, final
    _sum(out, *map(unit_rows, (q, k, v)), *_given(g, initial_state), final, False, False, 1.0, contiguous(weights))


@op("grad_q grad_k grad_v grad_g grad_initial")
def linear_attention_backward(grad_out: Array, grad_final: Array, q: Array, k: Array, v: Array, g: Array | None, initial_state: Array | None, final: Array):
    """The gradients for each head of v, float32."""
    batch, heads, length, dv = v.shape
    dk = q.shape[3]
    grad_q, grad_k = (empty(v, (batch, heads, length, dk), "float32") for _ in range(2))
    grad_v, grad_g, grad_initial = empty(v, v.shape, "float32"), empty(v, (batch, heads, length), "float32"), empty(v, final.shape, "float32")
    yield grad_q, grad_k, grad_v, grad_g, grad_initial
    q, k, v, grad_out = map(unit_rows, (q, k, v, grad_out))
    g, initial, grad_final = _given(g, initial_state, grad_final)
    _sum(grad_q, grad_out, v, k, g, initial, None, False, True, 1.0)
    _sum(grad_k, v, grad_out, q, g, grad_final, None, True, True, 1.0)
    _sum(grad_v, k, q, grad_out, g, grad_final, grad_initial, True, False, 1.0)
    if g is None:
        grad_g[...] = 0
        return
    launch("linear_attention", "linear_attention_decay_gradient", (batch * heads, ), q, grad_q, k, grad_k, grad_g, *strides(q)[:3], *strides(k)[:3], heads, heads // q.shape[1],
           heads // k.shape[1], length, dk, min(max(power_of_two(length), 16), 64), max(power_of_two(dk), 16))
    grad_g += (final * grad_final).sum((2, 3))[:, :, None]


@linear_attention.gradient
def _(grad_out, grad_final, q, k, v, g, initial_state, final, scale):
    grad_q, grad_k, grad_v, grad_g, grad_initial = linear_attention_backward((grad_out * scale).to(q.dtype), grad_final, q, k, v, g, initial_state, final)
    shared = (q.shape[0], q.shape[1], v.shape[1] // q.shape[1], *q.shape[2:])  # heads that share q and k add up
    grad_q, grad_k = (x.reshape(shared).sum(2).to(q.dtype) for x in (grad_q, grad_k))
    return grad_q, grad_k, grad_v.to(v.dtype), None if g is None else grad_g, None if initial_state is None else grad_initial


@op("out")
def linear_attention_update(q: Array, k: Array, v: Array, state: Changed, g: Array | None = None, scale: float = 1.0):
    """One step of `linear_attention` for q, k [batch, heads of q, dim] and v [batch, heads, dim of v]; state, float32 [batch, heads, dim, dim of v], moves on in place. g: float32 [batch,
    heads]."""
    require_floats(q=q, k=k, v=v)
    batch, heads, dv = v.shape
    require_shape("q", q, (batch, q.shape[1], q.shape[2]))
    require_shape("k", k, q.shape)
    require(q.shape[1] > 0 and heads % q.shape[1] == 0, f"`v` has {heads} heads, which is no multiple of the {q.shape[1]} heads of `q`")
    dk = q.shape[2]
    require_shape("state", state, (batch, heads, dk, dv))
    require(dtype_name(state) == "float32" and strides(state) == (heads * dk * dv, dk * dv, dv, 1), "`state` must be contiguous, of type float32: it is updated in place")
    if g is not None:
        require_shape("g", g, (batch, heads))
        require(dtype_name(g) == "float32", f"`g` has type {dtype_name(g)}, but float32 is expected")
    out = empty(v, v.shape)
    yield out
    block_v = min(power_of_two(dv), 64)
    launch("linear_attention", "linear_attention_step", (cdiv(dv, block_v), batch * heads), *map(contiguous, (q, k, v)), *_given(g), state, out, scale, heads,
           heads // q.shape[1], dk, dv, power_of_two(dk), block_v)


def _softplus(x):
    if is_torch(x):
        import torch
        return torch.nn.functional.softplus(x)
    import numpy
    return numpy.logaddexp(x, numpy.zeros((), x.dtype))


def _silu(x):
    if is_torch(x):
        import torch
        return torch.nn.functional.silu(x)
    import numpy
    return x / (1 + numpy.exp(-x))


def mamba_chunk_scan_combined(x, dt, A, B, C, D=None, z=None, dt_bias=None, initial_states=None, dt_softplus=False, return_final_states=False):
    """Mamba-2's scan (SSD) of x [batch, length, heads, headdim] with steps dt [batch, length, heads], decays A [heads], and B, C [batch, length, groups, dstate]:
    state = exp(dt A) state + dt B x, y = C · state + D x, times silu(z), of the type of x; dt, A, D and the bias may be float32 beside narrower ones. initial_states and what is returned: [batch, heads, headdim, dstate]."""
    dt = dt if dt_bias is None else dt + dt_bias
    dt = _softplus(dt) if dt_softplus else dt
    g = converted(dt * A, "float32").swapaxes(1, 2)
    initial = None if initial_states is None else initial_states.swapaxes(2, 3)
    q, k = C.swapaxes(1, 2), B.swapaxes(1, 2)
    if is_differentiated(x, dt, A, B, C, initial_states):
        out, final = linear_attention(q, k, converted(x * dt[..., None], dtype_name(x)).swapaxes(1, 2), g, initial)
    else:
        out, final = weighted_linear_attention(q, k, x.swapaxes(1, 2), g, converted(dt, "float32").swapaxes(1, 2), initial)
    out = out.swapaxes(1, 2)
    out = out if D is None else out + x * D[:, None]
    out = converted(out if z is None else out * _silu(converted(z, "float32")), dtype_name(x))
    return (out, final.swapaxes(2, 3)) if return_final_states else out


_STEPS = 64  # of a block of the selective scan


def _require_scan(u, delta, A, B, C, D, z, delta_bias):
    require_floats(u=u, delta=delta, B=B, C=C, z=z)
    require(len(u.shape) == 3 and len(A.shape) == 2 and len(B.shape) == 4, "`u` has three axes, `A` two and `B` four")
    batch, channels, length = u.shape
    require_shape("delta", delta, u.shape)
    require_shape("A", A, (channels, A.shape[1]))
    require_shape("B", B, (batch, B.shape[1], A.shape[1], length))
    require_shape("C", C, B.shape)
    require(B.shape[1] > 0 and channels % B.shape[1] == 0, f"`u` has {channels} channels, which is no multiple of the {B.shape[1]} groups of `B`")
    require(1 <= A.shape[1] <= 256, f"a channel has {A.shape[1]} states, but 1 to 256 are expected")
    if z is not None:
        require_shape("z", z, u.shape)
    for name, x in (("A", A), ("D", D), ("delta_bias", delta_bias)):
        if x is not None:
            require_shape(name, x, A.shape if name == "A" else (channels, ))
            require(dtype_name(x) == "float32", f"`{name}` has type {dtype_name(x)}, but float32 is expected")


def _block_c(A, groups):
    """Channels of a block: all of them share B and C."""
    return 4 if A.shape[1] <= 16 and (groups == 1 or A.shape[0] // groups % 4 == 0) else 1


def _scan_sizes(A, B, softplus):
    channels, states = A.shape
    return channels, B.shape[3], channels // B.shape[1], states, softplus, _block_c(A, B.shape[1]), power_of_two(states), _STEPS


@op("out last before", shown=2)
def selective_scan(u: Array, delta: Array, A: Array, B: Array, C: Array, D: Array | None, z: Array | None, delta_bias: Array | None, softplus: bool):
    """Mamba's scan, and its last state: see `selective_scan_fn`; B and C have four axes."""
    _require_scan(u, delta, A, B, C, D, z, delta_bias)
    batch, channels, length = u.shape
    out, last = empty(u, u.shape), empty(u, (batch, *A.shape), "float32")
    before = empty(u, (batch, cdiv(length, _STEPS), *A.shape), "float32")
    yield out, last, before
    A, D, delta_bias = _given(A, D, delta_bias)
    sizes = _scan_sizes(A, B, softplus)
    given = (u, delta, A, B, C, D, z, delta_bias, None, out, before, last, *(step for x in (u, delta, B, C, u if z is None else z, out) for step in strides(x)))
    if A.shape[1] <= 16 and channels // B.shape[1] % 32 == 0 and on_gpu(u) and batch * channels >= 32 * multiprocessors(u):  # enough for a warp of each multiprocessor: step by step
        launch("selective_scan", "selective_scan_steps", (channels // 32, batch), *given, *sizes[:5], 32, *sizes[6:], num_warps=1)
        return
    launch("selective_scan", "selective_scan_forward", (cdiv(channels, sizes[5]), batch), *given, *sizes)


@op("grad_u grad_delta grad_A grad_B grad_C grad_D grad_z grad_bias")
def selective_scan_backward(grad_out: Array, grad_last: Array, u: Array, delta: Array, A: Array, B: Array, C: Array, D: Array | None, z: Array | None, delta_bias: Array | None, before: Array,
                            softplus: bool):
    """All gradients; those of A, B, C, D and the bias are sums to be added up over batches or blocks of channels, float32."""
    batch, channels, length = u.shape
    blocks = cdiv(channels, _block_c(A, B.shape[1]))
    grad_u, grad_delta, grad_z = (empty(x, u.shape) for x in (u, delta, u if z is None else z))
    grad_a, grad_d, grad_bias = empty(u, (batch, *A.shape), "float32"), *(empty(u, (batch, channels), "float32") for _ in range(2))
    grad_b, grad_c = (empty(u, (batch, blocks, A.shape[1], length), "float32") for _ in range(2))
    yield grad_u, grad_delta, grad_a, grad_b, grad_c, grad_d, grad_z, grad_bias
    A, D, delta_bias, grad_last = _given(A, D, delta_bias, grad_last)
    launch("selective_scan", "selective_scan_backward", (blocks, batch), grad_out, u, delta, A, B, C, D, z, delta_bias, before, grad_last, grad_u, grad_delta,
           None if z is None else grad_z, grad_a, grad_b, grad_c, grad_d, grad_bias, *(step for x in (grad_out, u, delta, B, C, u if z is None else z) for step in strides(x)),
           *_scan_sizes(A, B, softplus))


@selective_scan.gradient
def _(grad_out, grad_last, u, delta, A, B, C, D, z, delta_bias, before, softplus):
    found = selective_scan_backward(grad_out, grad_last, u, delta, A, B, C, D, z, delta_bias, before, softplus)
    grad_u, grad_delta, grad_a, grad_b, grad_c, grad_d, grad_z, grad_bias = found
    batch, groups, states, length = B.shape
    grad_b, grad_c = (x.reshape(batch, groups, x.shape[1] // groups, states, length).sum(2).to(B.dtype) for x in (grad_b, grad_c))
    return (grad_u, grad_delta, grad_a.sum(0), grad_b, grad_c, None if D is None else grad_d.sum(0), None if z is None else grad_z,
            None if delta_bias is None else grad_bias.sum(0))


def selective_scan_fn(u, delta, A, B, C, D=None, z=None, delta_bias=None, delta_softplus=False, return_last_state=False):
    """Mamba's scan along the length of u and delta [batch, channels, length]: state = exp(delta A) state + delta B u, out = (C · state + D u) * silu(z). A: float32 [channels, states];
    B and C: [batch, states, length], or [batch, groups, states, length]; D and delta_bias: float32 [channels]."""
    B, C = (x[:, None] if len(x.shape) == 3 else x for x in (B, C))
    out, last = selective_scan(u, delta, A, B, C, D, z, delta_bias, delta_softplus)
    return (out, last) if return_last_state else out


@op("out")
def selective_state_update(state: Changed, x: Array, dt: Array, A: Array, B: Array, C: Array, D: Array | None = None, z: Array | None = None, dt_bias: Array | None = None,
                           dt_softplus: bool = False):
    """One step of `selective_scan_fn` for x and dt [batch, channels], B and C [batch, states] or [batch, groups, states]; state, float32 [batch, channels, states], moves on in place."""
    B, C = (each[:, None] if len(each.shape) == 2 else each for each in (B, C))
    require(len(x.shape) == 2 and len(B.shape) == 3, f"`x` has shape {tuple(x.shape)}, but (batch, channels) is expected")
    _require_scan(*(None if each is None else each[..., None] for each in (x, dt)), A, B[..., None], C[..., None], D, None if z is None else z[..., None], dt_bias)
    batch, channels, states = *x.shape, A.shape[1]
    require_shape("state", state, (batch, channels, states))
    require(dtype_name(state) == "float32" and strides(state) == (channels * states, states, 1), "`state` must be contiguous, of type float32: it is updated in place")
    out = empty(x, x.shape)
    yield out
    block_c = max(1, 1024 // power_of_two(states))
    launch("selective_scan", "selective_scan_step", (cdiv(channels, block_c), batch), state, *map(contiguous, (x, dt, A, B, C)), *_given(D, z, dt_bias), out, channels,
           channels // B.shape[1], states, dt_softplus, block_c, power_of_two(states))

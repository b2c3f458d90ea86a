"""The gated delta rule along sequences: forward, backward and by steps."""
from __future__ import annotations

from ._arrays import contiguous, dtype_name, empty, require, require_floats, require_shape, strides, unit_rows
from ._declare import op
from ._library import cdiv, launch, power_of_two


def _given(x):
    return None if x is None else contiguous(x)


def _steps(length):
    """Of a chunk backward, and of a part of one forward."""
    return min(max(power_of_two(length), 16), 32)


def _chunk(q, length):
    """Steps of a chunk forward: two parts where tiles of 16 bits leave room for them."""
    return _steps(length) * (2 if length > 32 and dtype_name(q) != "float32" and q.shape[3] <= 128 else 1)


def _sizes(q, k, v, out, g, beta, scale, block_v):
    """What the backward kernel has behind its arrays: strides, sizes, blocks."""
    heads, length, dv = v.shape[1:]
    return (scale, *(step for x in (q, k, v, out, beta if g is None else g, beta) for step in strides(x)[:3]), heads, heads // q.shape[1], length, q.shape[3], dv, _steps(length),
            max(power_of_two(q.shape[3]), 16), block_v, "ieee")


def _forward(q, k, v, g, beta, scale, initial_state, out, final, states, chunk):
    """What chunks need no state for, all at once, and then one after the other. Without out, `states` alone are made."""
    batch, heads, length, dv = v.shape
    dk, group, chunks = q.shape[3], heads // q.shape[1], cdiv(length, chunk)
    sums, w, u = empty(v, (batch, heads, length), "float32"), empty(v, (batch, heads, length, dk)), empty(v, v.shape)
    score = None if out is None else empty(v, (batch, heads, chunks, chunk, chunk))
    given = [step for x in (q, k, v, beta if g is None else g, beta) for step in strides(x)[:3]]
    block_k, block_v = (max(power_of_two(each), 16) for each in (dk, dv))
    launch("gated_delta_rule", "gated_delta_rule_chunks", (chunks, batch * heads), q, k, v, g, beta, sums, w, u, score, *given, heads, group, length, dk, dv, chunk, _steps(length), block_k, block_v, "ieee")
    block_v = min(block_v, 64)
    launch("gated_delta_rule", "gated_delta_rule", (cdiv(dv, block_v), batch * heads), q, k, sums, w, u, score, _given(initial_state), out, final, states, scale, *strides(q)[:3], *strides(k)[:3],
           *strides(v if out is None else out)[:3], heads, group, length, dk, dv, chunk, block_k, block_v, "ieee")


@op("out final")
def gated_delta_rule(q: Array, k: Array, v: Array, g: Array | None, beta: Array, scale: float, initial_state: Array | None):
    """The recurrence on [batch, heads, length, dim]: see `chunk_gated_delta_rule`."""
    require_floats(q=q, k=k, v=v, g=g, beta=beta)
    require(len(q.shape) == 4 and len(v.shape) == 4, "`q` and `v` have four axes")
    batch, heads, length, dv = v.shape
    dk = q.shape[3]
    require_shape("q", q, (batch, q.shape[1], length, dk))
    require_shape("k", k, q.shape)
    require(q.shape[1] > 0 and heads % q.shape[1] == 0, f"`v` has {heads} heads, which is no multiple of the {q.shape[1]} heads of `q`")
    require(dk <= 256 and dv <= 256, f"heads have {dk} and {dv} elements, but at most 256 are expected")
    require(q.dtype == k.dtype == v.dtype, f"`q`, `k` and `v` have types {dtype_name(q)}, {dtype_name(k)} and {dtype_name(v)}, but one is expected")
    require_shape("beta", beta, (batch, heads, length))
    if g is not None:
        require_shape("g", g, beta.shape)
    if initial_state is not None:
        require_shape("initial_state", initial_state, (batch, heads, dk, dv))
        require(dtype_name(initial_state) == "float32", f"`initial_state` has type {dtype_name(initial_state)}, but float32 is expected")
    out, final = empty(v, v.shape), empty(v, (batch, heads, dk, dv), "float32")
    yield out, final
    q, k, v = map(unit_rows, (q, k, v))
    _forward(q, k, v, g, beta, scale, initial_state, out, final, None, _chunk(q, length))


@op("grad_q grad_k grad_v grad_g grad_beta grad_initial")
def gated_delta_rule_backward(grad_out: Array, grad_final: Array, q: Array, k: Array, v: Array, g: Array | None, beta: Array, scale: float, initial_state: Array | None):
    """All gradients, of the types of what they belong to; that of g has no meaning without g."""
    batch, heads, length, dv = v.shape
    dk = q.shape[3]
    grads = [empty(x, x.shape) for x in (q, k, v, beta if g is None else g, beta)] + [empty(v, (batch, heads, dk, dv), "float32")]
    yield tuple(grads)
    q, k, v, grad_out = map(unit_rows, (q, k, v, grad_out))
    states = empty(v, (batch, heads, cdiv(length, _steps(length)), dk, dv), "float32")
    _forward(q, k, v, g, beta, scale, initial_state, None, None, states, _steps(length))
    block_v = min(max(power_of_two(dv), 16), 64 if dk <= 64 else 32 if dk <= 128 else 16)  # two states of this width live in registers
    shares = cdiv(dv, block_v)
    of_q, of_k, of_g, of_beta = (empty(v, (shares, batch, heads, length, *more), "float32") for more in ((dk, ), (dk, ), (), ()))
    launch("gated_delta_rule", "gated_delta_rule_backward", (shares, batch * heads), q, k, v, g, beta, states, grad_out, contiguous(grad_final), of_q, of_k, grads[2], None if g is None else of_g, of_beta,
           grads[5], *_sizes(q, k, v, grad_out, g, beta, scale, block_v))
    for share, grad in ((of_q, grads[0]), (of_k, grads[1]), (None if g is None else of_g, grads[3]), (of_beta, grads[4])):
        if share is not None:
            rows, size = batch * grad.shape[1], length * (dk if len(grad.shape) == 4 else 1)
            launch("gated_delta_rule", "sum_of_shares", (cdiv(size, 1024), rows), share, grad, size, shares, heads // grad.shape[1], 1024)


@gated_delta_rule.gradient
def _(grad_out, grad_final, q, k, v, g, beta, scale, initial_state):
    *grads, grad_g, grad_beta, grad_initial = gated_delta_rule_backward(grad_out, grad_final, q, k, v, g, beta, scale, initial_state)
    return *grads, None if g is None else grad_g, grad_beta, None if initial_state is None else grad_initial


def chunk_gated_delta_rule(q, k, v, g=None, beta=None, scale=None, initial_state=None, output_final_state=False):
    """The recurrence of Gated DeltaNet on q, k [batch, length, heads of q, dim] and v [batch, length, heads, dim of v], with fading g and beta [batch, length, heads]: state = exp(g) (state - beta k (k · state)) +
    beta k v, out = scale * q · state. Keys have length 1. scale is 1 / sqrt(dim) if not given; states are float32 [batch, heads, dim, dim of v]."""
    turned = [None if x is None else x.swapaxes(1, 2) for x in (q, k, v, g, beta)]
    if beta is None:
        turned[4] = empty(v, v.shape[:3]).swapaxes(1, 2)
        turned[4][...] = 1
    out, final = gated_delta_rule(*turned, q.shape[-1]**-0.5 if scale is None else scale, initial_state)
    out = out.swapaxes(1, 2)
    return (out, final) if output_final_state else out


@op("out")
def gated_delta_rule_update(q: Array, k: Array, v: Array, state: Changed, beta: Array, g: Array | None = None, scale: float = 1.0):
    """One step of `chunk_gated_delta_rule` for q, k [batch, heads of q, dim], v [batch, heads, dim of v], g and beta [batch, heads]; state, float32 [batch, heads, dim, dim of v], moves on in place."""
    require_floats(q=q, k=k, v=v, g=g, beta=beta)
    batch, heads, dv = v.shape
    dk = q.shape[2]
    require_shape("q", q, (batch, q.shape[1], dk))
    require_shape("k", k, q.shape)
    require(q.shape[1] > 0 and heads % q.shape[1] == 0, f"`v` has {heads} heads, which is no multiple of the {q.shape[1]} heads of `q`")
    for name, x in (("beta", beta), ("g", g)):
        if x is not None:
            require_shape(name, x, (batch, heads))
    require_shape("state", state, (batch, heads, dk, dv))
    require(dtype_name(state) == "float32" and strides(state) == (heads * dk * dv, dk * dv, dv, 1), "`state` must be contiguous, of type float32: it is updated in place")
    out = empty(v, v.shape)
    yield out
    block_v = min(power_of_two(dv), 64)
    launch("gated_delta_rule", "gated_delta_rule_step", (cdiv(dv, block_v), batch * heads), *map(contiguous, (q, k, v)), _given(g), contiguous(beta), state, out, scale, heads,
           heads // q.shape[1], dk, dv, power_of_two(dk), block_v)

"""Attention without a softmax, causal, with a decay: o[i] = sum over j <= i of exp(g[j + 1] + … + g[i]) (q[i] · k[j]) v[j], in time linear in the length. It is the core of linear
attention (g = 0), of RetNet (g constant), and of Mamba-2 (SSD: q = C, k = B, v = dt * x, g = dt * A).

The sequence is taken in chunks: inside of one it is a product of matrices with a mask, and a state [DK, DV], the sum of k v^T of all before, brings in the rest.
The gradients are the same sum with other names: that of q is the sum over (grad_o, v, k), and those of k and v go backwards, over (v, grad_o, q) and (k, q, grad_o)."""
import triton
import triton.language as tl


@triton.jit
def load_steps(base, rows, stride, inside, columns, n_columns):
    places = base + rows.to(tl.int64)[:, None] * stride + columns[None, :]
    return tl.load(places, mask=inside[:, None] & (columns < n_columns)[None, :], other=0.0)


@triton.jit
def linear_attention(q_ptr, k_ptr, v_ptr, g_ptr, initial_ptr, out_ptr, final_ptr, scale,  #
                     q_stride_b, q_stride_h, q_stride_t, k_stride_b, k_stride_h, k_stride_t, v_stride_b, v_stride_h, v_stride_t,  #
                     out_stride_b, out_stride_h, out_stride_t, state_stride_k, state_stride_v,  #
                     heads, group_q, group_k, group_v, length, DK: tl.constexpr, DV: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_K: tl.constexpr,
                     BLOCK_V: tl.constexpr, REVERSE: tl.constexpr = False, PRECISION: tl.constexpr = None, weights_ptr=None):
    """q and k are [batch, heads / group, length, DK], v and out with DV; g is fp32 [batch, heads, length], or None for no decay. initial and final, fp32 [batch, heads] of states with
    these strides, or None. Grid: (blocks of DV, batch * heads); BLOCK_K >= DK. REVERSE: o[j] = sum over i >= j of exp(g[j + 1] + … + g[i]) (q[j] · k[i])
    v[i]; the final state is then that before the first step. weights, fp32 [batch, heads, length] or None: v[j] counts so many times (dt of Mamba-2; not with REVERSE)."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = tl.program_id(1) % heads
    columns_k = tl.arange(0, BLOCK_K)
    columns_v = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    q_ptr += batch * q_stride_b + (head // group_q).to(tl.int64) * q_stride_h
    k_ptr += batch * k_stride_b + (head // group_k).to(tl.int64) * k_stride_h
    v_ptr += batch * v_stride_b + (head // group_v).to(tl.int64) * v_stride_h
    out_ptr += batch * out_stride_b + head.to(tl.int64) * out_stride_h
    if g_ptr is not None:
        g_ptr += tl.program_id(1).to(tl.int64) * length
    if weights_ptr is not None:
        weights_ptr += tl.program_id(1).to(tl.int64) * length
    states = tl.program_id(1).to(tl.int64) * (DK * DV) + columns_k[:, None] * state_stride_k + columns_v[None, :] * state_stride_v
    states_inside = (columns_k < DK)[:, None] & (columns_v < DV)[None, :]
    state = tl.zeros((BLOCK_K, BLOCK_V), tl.float32)
    if initial_ptr is not None:
        state += tl.load(initial_ptr + states, mask=states_inside, other=0.0)
    step = tl.arange(0, BLOCK_T)
    for first in range(0, length, BLOCK_T):
        t = first + step
        inside = t < length
        rows = t
        if REVERSE:
            rows = length - 1 - t
        q = load_steps(q_ptr, rows, q_stride_t, inside, columns_k, DK)
        k = load_steps(k_ptr, rows, k_stride_t, inside, columns_k, DK)
        v = load_steps(v_ptr, rows, v_stride_t, inside, columns_v, DV)
        score = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        seen = step[:, None] >= step[None, :]
        from_state = tl.dot(q, state.to(q.dtype), input_precision=PRECISION)
        weights = tl.full((BLOCK_T, ), 1.0, tl.float32)
        if weights_ptr is not None:
            weights = tl.load(weights_ptr + rows, mask=inside, other=0.0)
            score *= weights[None, :]
        if g_ptr is not None:
            if REVERSE:
                g = tl.load(g_ptr + rows + 1, mask=inside & (t > 0), other=0.0)  # between a step and the one after it
            else:
                g = tl.load(g_ptr + rows, mask=inside, other=0.0)
            sums = tl.cumsum(g, axis=0)
            last = tl.sum(g, axis=0)
            score = tl.where(seen, score * tl.exp(tl.where(seen, sums[:, None] - sums[None, :], 0.0)), 0.0)
            from_state *= tl.exp(sums)[:, None]
            weights *= tl.exp(last - sums)
            state *= tl.exp(last)
        else:
            score = tl.where(seen, score, 0.0)
        added = v  # to the state, with k
        if g_ptr is not None or weights_ptr is not None:
            added = (v.to(tl.float32) * weights[:, None]).to(v.dtype)
        out = tl.dot(score.to(v.dtype), v, from_state, input_precision=PRECISION) * scale
        places = out_ptr + rows.to(tl.int64)[:, None] * out_stride_t + columns_v[None, :]
        tl.store(places, out.to(out_ptr.dtype.element_ty), mask=inside[:, None] & (columns_v < DV)[None, :])
        state = tl.dot(tl.trans(k), added, state, input_precision=PRECISION)
    if final_ptr is not None:
        if REVERSE and g_ptr is not None:
            state *= tl.exp(tl.load(g_ptr, mask=length > 0, other=0.0))
        tl.store(final_ptr + states, state, mask=states_inside)


@triton.jit
def linear_attention_decay_gradient(q_ptr, grad_q_ptr, k_ptr, grad_k_ptr, grad_g_ptr, q_stride_b, q_stride_h, q_stride_t, k_stride_b, k_stride_h, k_stride_t, heads, group_q,
                                    group_k, length, DK: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_K: tl.constexpr):
    """grad_g[t] = sum over i >= t of q[i] · grad_q[i] - k[i] · grad_k[i]. Gradients are fp32 and contiguous, [batch, heads, length, DK]. Grid: (batch * heads)."""
    batch = (tl.program_id(0) // heads).to(tl.int64)
    head = tl.program_id(0) % heads
    q_ptr += batch * q_stride_b + (head // group_q).to(tl.int64) * q_stride_h
    k_ptr += batch * k_stride_b + (head // group_k).to(tl.int64) * k_stride_h
    start = tl.program_id(0).to(tl.int64) * length
    columns = tl.arange(0, BLOCK_K)
    later = tl.full((), 0.0, tl.float32)
    for first in range(0, length, BLOCK_T):
        t = first + tl.arange(0, BLOCK_T)
        rows = length - 1 - t
        inside = t < length
        part = load_steps(q_ptr, rows, q_stride_t, inside, columns, DK).to(tl.float32) * load_steps(grad_q_ptr + start * DK, rows, DK, inside, columns, DK)
        part -= load_steps(k_ptr, rows, k_stride_t, inside, columns, DK).to(tl.float32) * load_steps(grad_k_ptr + start * DK, rows, DK, inside, columns, DK)
        each = tl.sum(part, axis=1)
        tl.store(grad_g_ptr + start + rows, later + tl.cumsum(each, axis=0), mask=inside)
        later += tl.sum(each, axis=0)


@triton.jit
def linear_attention_step(q_ptr, k_ptr, v_ptr, g_ptr, state_ptr, out_ptr, scale, heads, group, DK: tl.constexpr, DV: tl.constexpr, BLOCK_K: tl.constexpr,
                          BLOCK_V: tl.constexpr):
    """One step: state = exp(g) state + k v^T in place, out = q · state. q and k: contiguous [batch, heads / group, DK], v and out [batch, heads, DV], g fp32 [batch, heads] or None, state
    fp32 [batch, heads, DK, DV]. Grid: (blocks of DV, batch * heads)."""
    number = tl.program_id(1).to(tl.int64)
    row = number // heads * (heads // group) + number % heads // group
    columns_k = tl.arange(0, BLOCK_K)
    columns_v = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    q = tl.load(q_ptr + row * DK + columns_k, mask=columns_k < DK, other=0.0).to(tl.float32)
    k = tl.load(k_ptr + row * DK + columns_k, mask=columns_k < DK, other=0.0).to(tl.float32)
    v = tl.load(v_ptr + number * DV + columns_v, mask=columns_v < DV, other=0.0).to(tl.float32)
    places = state_ptr + number * (DK * DV) + columns_k[:, None] * DV + columns_v[None, :]
    inside = (columns_k < DK)[:, None] & (columns_v < DV)[None, :]
    state = tl.load(places, mask=inside, other=0.0)
    if g_ptr is not None:
        state *= tl.exp(tl.load(g_ptr + number))
    state += k[:, None] * v[None, :]
    tl.store(places, state, mask=inside)
    tl.store(out_ptr + number * DV + columns_v, (tl.sum(state * q[:, None], axis=0) * scale).to(out_ptr.dtype.element_ty), mask=columns_v < DV)

"""Mamba's selective scan along the length of [batch, channels, length], forward, backward and by steps, in fp32 inside: for each channel a state of STATES elements,

    state[t] = exp(delta[t] A) state[t - 1] + delta[t] B[t] u[t]        out[t] = (C[t] · state[t] + D u[t]) * silu(z[t])

with A [channels, STATES] and B, C [batch, groups, STATES, length] for groups of channels. A scan of (decay, addend) pairs makes a block of steps at a time. The forward pass keeps the
state before each block, from which the backward pass makes the others again."""
import triton
import triton.language as tl


@triton.jit
def two_steps(a1, b1, a2, b2):
    """One step that does what two do."""
    return a1 * a2, a2 * b1 + b2


@triton.jit
def softplus(x):
    return tl.maximum(x, 0.0) + tl.log(1 + tl.exp(-tl.abs(x)))


@triton.jit
def load_delta(delta_ptr, bias, channels, t, stride_c, stride_t, inside, SOFTPLUS: tl.constexpr):
    """(delta, what its argument's gradient is multiplied by); 0, the step that changes nothing, outside."""
    x = tl.load(delta_ptr + channels.to(tl.int64)[:, None] * stride_c + t.to(tl.int64)[None, :] * stride_t, mask=inside, other=0.0).to(tl.float32) + bias[:, None]
    slope = tl.full(x.shape, 1.0, tl.float32)
    if SOFTPLUS:
        slope = tl.sigmoid(x)
        x = softplus(x)
    return tl.where(inside, x, 0.0), slope


@triton.jit
def load_rows(base, rows, t, stride_row, stride_t, inside):
    return tl.load(base + rows.to(tl.int64)[:, None] * stride_row + t.to(tl.int64)[None, :] * stride_t, mask=inside, other=0.0).to(tl.float32)


@triton.jit
def load_optional(pointer, channels, inside):
    """A number for each channel, 0 where there is no array."""
    if pointer is None:
        return tl.zeros(channels.shape, tl.float32)
    else:
        return tl.load(pointer + channels, mask=inside, other=0.0).to(tl.float32)


@triton.jit
def own_places(n_channels, per_group, STATES: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_S: tl.constexpr):
    """Of a program: its batch, the group of its channels, the channels, which of them are there, the states, their places in [channels, STATES], and which of these are there."""
    channels = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    batch = tl.program_id(1).to(tl.int64)
    group = (tl.program_id(0) * BLOCK_C // per_group).to(tl.int64)
    s = tl.arange(0, BLOCK_S)
    inside = channels < n_channels
    return batch, group, channels, inside, s, channels.to(tl.int64)[:, None] * STATES + s[None, :], inside[:, None] & (s < STATES)[None, :]


@triton.jit
def load_state(state_ptr, places, inside):
    """One in fp32, zeros where there is no array."""
    state = tl.zeros(inside.shape, tl.float32)
    if state_ptr is not None:
        state += tl.load(state_ptr + places, mask=inside, other=0.0)
    return state


@triton.jit
def load_numbers(a_ptr, d_ptr, bias_ptr, channels, inside, places, places_inside):
    """A, D and bias of some channels, which they keep from the first step to the last."""
    a = tl.load(a_ptr + places, mask=places_inside, other=0.0).to(tl.float32)
    return a, load_optional(d_ptr, channels, inside), load_optional(bias_ptr, channels, inside)


@triton.jit
def store_gated(out_ptr, y, z_ptr, batch, channels, t, out_stride_b, out_stride_c, out_stride_t, z_stride_b, z_stride_c, z_stride_t, inside):
    if z_ptr is not None:
        z = load_rows(z_ptr + batch * z_stride_b, channels, t, z_stride_c, z_stride_t, inside)
        y *= z * tl.sigmoid(z)
    places = out_ptr + batch * out_stride_b + channels.to(tl.int64)[:, None] * out_stride_c + t.to(tl.int64)[None, :] * out_stride_t
    tl.store(places, y.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def selective_scan_forward(u_ptr, delta_ptr, a_ptr, b_ptr, c_ptr, d_ptr, z_ptr, bias_ptr, initial_ptr, out_ptr, states_ptr, final_ptr,  #
                           u_stride_b, u_stride_c, u_stride_t, delta_stride_b, delta_stride_c, delta_stride_t, b_stride_b, b_stride_g, b_stride_s, b_stride_t,  #
                           c_stride_b, c_stride_g, c_stride_s, c_stride_t, z_stride_b, z_stride_c, z_stride_t, out_stride_b, out_stride_c, out_stride_t,  #
                           n_channels, length, per_group, STATES: tl.constexpr, SOFTPLUS: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_S: tl.constexpr,
                           BLOCK_T: tl.constexpr):
    """Grid: (blocks of BLOCK_C channels, which divides per_group or is 1, batch). A, D, bias: contiguous. states, fp32 [batch, blocks of BLOCK_T steps, channels, STATES], get the state before each
    block, final and initial are fp32 [batch, channels, STATES]; all three, D, z and bias may be None."""
    batch, group, channels, c_inside, s, pair, pair_inside = own_places(n_channels, per_group, STATES, BLOCK_C, BLOCK_S)
    step = tl.arange(0, BLOCK_T)
    s_inside = s < STATES
    b_ptr += batch * b_stride_b + group * b_stride_g
    c_ptr += batch * c_stride_b + group * c_stride_g
    a, d, bias = load_numbers(a_ptr, d_ptr, bias_ptr, channels, c_inside, pair, pair_inside)
    per_batch = tl.cast(n_channels, tl.int64) * STATES
    state = load_state(initial_ptr, batch * per_batch + pair, pair_inside)
    blocks = tl.cdiv(length, BLOCK_T)
    for block in range(0, blocks):
        if states_ptr is not None:
            tl.store(states_ptr + (batch * blocks + block) * per_batch + pair, state, mask=pair_inside)
        t = block * BLOCK_T + step
        inside = c_inside[:, None] & (t < length)[None, :]
        u = load_rows(u_ptr + batch * u_stride_b, channels, t, u_stride_c, u_stride_t, inside)
        delta, _ = load_delta(delta_ptr + batch * delta_stride_b, bias, channels, t, delta_stride_c, delta_stride_t, inside, SOFTPLUS)
        b = load_rows(b_ptr, s, t, b_stride_s, b_stride_t, s_inside[:, None] & (t < length)[None, :])
        c = load_rows(c_ptr, s, t, c_stride_s, c_stride_t, s_inside[:, None] & (t < length)[None, :])
        decay = tl.exp(delta[:, None, :] * a[:, :, None])
        all_a, all_b = tl.associative_scan((decay, (delta * u)[:, None, :] * b[None, :, :]), 2, two_steps)
        h = all_a * state[:, :, None] + all_b
        y = tl.sum(h * c[None, :, :], axis=1) + d[:, None] * u
        store_gated(out_ptr, y, z_ptr, batch, channels, t, out_stride_b, out_stride_c, out_stride_t, z_stride_b, z_stride_c, z_stride_t, inside)
        state = tl.sum(tl.where((step == BLOCK_T - 1)[None, None, :], h, 0.0), axis=2)
    if final_ptr is not None:
        tl.store(final_ptr + batch * per_batch + pair, state, mask=pair_inside)


@triton.jit
def eighths(x):
    """Every eighth column of a tile, from the first, the second, … the eighth one on."""
    x = tl.reshape(x, (x.shape[0], x.shape[1] // 8, 2, 2, 2))
    even, odd = tl.split(x)
    a, c = tl.split(even)
    b, d = tl.split(odd)
    a0, a4 = tl.split(a)
    b1, b5 = tl.split(b)
    c2, c6 = tl.split(c)
    d3, d7 = tl.split(d)
    return a0, b1, c2, d3, a4, b5, c6, d7


@triton.jit
def of_eighths(x0, x1, x2, x3, x4, x5, x6, x7):
    """The tile that `eighths` takes apart."""
    even = tl.join(tl.join(x0, x4), tl.join(x2, x6))
    odd = tl.join(tl.join(x1, x5), tl.join(x3, x7))
    return tl.reshape(tl.join(even, odd), (x0.shape[0], x0.shape[1] * 8))


@triton.jit
def one_step(state, a, delta, u, b_ptr, c_ptr, t, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES: tl.constexpr):
    """(state, C · state) behind step t; a is log2(e) times A."""
    inside = (s < STATES) & (t < length)
    b = tl.load(b_ptr + s.to(tl.int64) * b_stride_s + tl.cast(t, tl.int64) * b_stride_t, mask=inside, other=0.0).to(tl.float32)
    c = tl.load(c_ptr + s.to(tl.int64) * c_stride_s + tl.cast(t, tl.int64) * c_stride_t, mask=inside, other=0.0).to(tl.float32)
    state = state * tl.exp2(delta * a) + (delta * u) * b[None, :]
    return state, tl.sum(state * c[None, :], axis=1)[:, None]


@triton.jit
def selective_scan_steps(u_ptr, delta_ptr, a_ptr, b_ptr, c_ptr, d_ptr, z_ptr, bias_ptr, initial_ptr, out_ptr, states_ptr, final_ptr,  #
                         u_stride_b, u_stride_c, u_stride_t, delta_stride_b, delta_stride_c, delta_stride_t, b_stride_b, b_stride_g, b_stride_s, b_stride_t,  #
                         c_stride_b, c_stride_g, c_stride_s, c_stride_t, z_stride_b, z_stride_c, z_stride_t, out_stride_b, out_stride_c, out_stride_t,  #
                         n_channels, length, per_group, STATES: tl.constexpr, SOFTPLUS: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_S: tl.constexpr,
                         BLOCK_T: tl.constexpr):
    """selective_scan_forward, step by step instead of by a scan: for many channels, whose states are in the registers of a warp. Eight steps are loaded and stored at a time; BLOCK_T is a multiple of that."""
    batch, group, channels, c_inside, s, pair, pair_inside = own_places(n_channels, per_group, STATES, BLOCK_C, BLOCK_S)
    b_ptr += batch * b_stride_b + group * b_stride_g
    c_ptr += batch * c_stride_b + group * c_stride_g
    a, d, bias = load_numbers(a_ptr, d_ptr, bias_ptr, channels, c_inside, pair, pair_inside)
    a *= 1.4426950408889634
    per_batch = tl.cast(n_channels, tl.int64) * STATES
    state = load_state(initial_ptr, batch * per_batch + pair, pair_inside)
    blocks = tl.cdiv(length, BLOCK_T)
    for first in range(0, length, 8):
        if states_ptr is not None:
            if first % BLOCK_T == 0:
                tl.store(states_ptr + (batch * blocks + first // BLOCK_T) * per_batch + pair, state, mask=pair_inside)
        t = first + tl.arange(0, 8)
        inside = c_inside[:, None] & (t < length)[None, :]
        u = load_rows(u_ptr + batch * u_stride_b, channels, t, u_stride_c, u_stride_t, inside)
        delta, _ = load_delta(delta_ptr + batch * delta_stride_b, bias, channels, t, delta_stride_c, delta_stride_t, inside, SOFTPLUS)
        u0, u1, u2, u3, u4, u5, u6, u7 = eighths(u)
        d0, d1, d2, d3, d4, d5, d6, d7 = eighths(delta)
        state, y0 = one_step(state, a, d0, u0, b_ptr, c_ptr, first, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        state, y1 = one_step(state, a, d1, u1, b_ptr, c_ptr, first + 1, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        state, y2 = one_step(state, a, d2, u2, b_ptr, c_ptr, first + 2, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        state, y3 = one_step(state, a, d3, u3, b_ptr, c_ptr, first + 3, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        state, y4 = one_step(state, a, d4, u4, b_ptr, c_ptr, first + 4, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        state, y5 = one_step(state, a, d5, u5, b_ptr, c_ptr, first + 5, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        state, y6 = one_step(state, a, d6, u6, b_ptr, c_ptr, first + 6, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        state, y7 = one_step(state, a, d7, u7, b_ptr, c_ptr, first + 7, length, s, b_stride_s, b_stride_t, c_stride_s, c_stride_t, STATES)
        y = of_eighths(y0, y1, y2, y3, y4, y5, y6, y7) + d[:, None] * u
        store_gated(out_ptr, y, z_ptr, batch, channels, t, out_stride_b, out_stride_c, out_stride_t, z_stride_b, z_stride_c, z_stride_t, inside)
    if final_ptr is not None:
        tl.store(final_ptr + batch * per_batch + pair, state, mask=pair_inside)


@triton.jit
def selective_scan_backward(grad_ptr, u_ptr, delta_ptr, a_ptr, b_ptr, c_ptr, d_ptr, z_ptr, bias_ptr, states_ptr, grad_final_ptr, grad_u_ptr, grad_delta_ptr, grad_z_ptr, grad_a_ptr, grad_b_ptr,
                            grad_c_ptr, grad_d_ptr, grad_bias_ptr, grad_stride_b, grad_stride_c, grad_stride_t, u_stride_b, u_stride_c, u_stride_t, delta_stride_b, delta_stride_c,
                            delta_stride_t, b_stride_b, b_stride_g, b_stride_s, b_stride_t, c_stride_b, c_stride_g, c_stride_s, c_stride_t, z_stride_b, z_stride_c, z_stride_t,
                            n_channels, length, per_group, STATES: tl.constexpr, SOFTPLUS: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_S: tl.constexpr,
                            BLOCK_T: tl.constexpr):
    """Grid and BLOCK_T as in the forward pass, whose states it takes; grad_final, fp32, is that of the last state or None. Gradients are contiguous: of u, delta and z [batch, channels, length]; partial sums in fp32: of a [batch, channels, STATES], of d and bias [batch,
    channels], of b and c [batch, blocks of channels, STATES, length]."""
    batch, group, channels, c_inside, s, pair, pair_inside = own_places(n_channels, per_group, STATES, BLOCK_C, BLOCK_S)
    step = tl.arange(0, BLOCK_T)
    s_inside = s < STATES
    b_ptr += batch * b_stride_b + group * b_stride_g
    c_ptr += batch * c_stride_b + group * c_stride_g
    delta_ptr += batch * delta_stride_b
    per_batch = tl.cast(n_channels, tl.int64) * STATES
    a, d, bias = load_numbers(a_ptr, d_ptr, bias_ptr, channels, c_inside, pair, pair_inside)
    grad_a = tl.zeros((BLOCK_C, BLOCK_S), tl.float32)
    grad_d = tl.zeros((BLOCK_C, ), tl.float32)
    grad_bias = tl.zeros((BLOCK_C, ), tl.float32)
    carried = load_state(grad_final_ptr, batch * per_batch + pair, pair_inside)  # the gradient of the state of the first step behind the block
    sums = (batch * tl.num_programs(0) + tl.program_id(0)) * STATES * length
    rows = batch * n_channels * length + channels.to(tl.int64)[:, None] * length
    blocks = tl.cdiv(length, BLOCK_T)
    for i in range(0, blocks):
        block = blocks - 1 - i
        t = block * BLOCK_T + step
        inside = c_inside[:, None] & (t < length)[None, :]
        st_inside = s_inside[:, None] & (t < length)[None, :]
        u = load_rows(u_ptr + batch * u_stride_b, channels, t, u_stride_c, u_stride_t, inside)
        delta, slope = load_delta(delta_ptr, bias, channels, t, delta_stride_c, delta_stride_t, inside, SOFTPLUS)
        after, _ = load_delta(delta_ptr, bias, channels, t + 1, delta_stride_c, delta_stride_t, c_inside[:, None] & (t + 1 < length)[None, :], SOFTPLUS)
        b = load_rows(b_ptr, s, t, b_stride_s, b_stride_t, st_inside)
        c = load_rows(c_ptr, s, t, c_stride_s, c_stride_t, st_inside)
        grad = load_rows(grad_ptr + batch * grad_stride_b, channels, t, grad_stride_c, grad_stride_t, inside)
        # The states again, as forward.
        state = tl.load(states_ptr + (batch * blocks + block) * per_batch + pair, mask=pair_inside, other=0.0)
        added = (delta * u)[:, None, :] * b[None, :, :]
        all_a, all_b = tl.associative_scan((tl.exp(delta[:, None, :] * a[:, :, None]), added), 2, two_steps)
        h = all_a * state[:, :, None] + all_b
        if z_ptr is not None:
            z = load_rows(z_ptr + batch * z_stride_b, channels, t, z_stride_c, z_stride_t, inside)
            y = tl.sum(h * c[None, :, :], axis=1) + d[:, None] * u
            gate = tl.sigmoid(z)
            tl.store(grad_z_ptr + rows + t[None, :], (grad * y * gate * (1 + z * (1 - gate))).to(grad_z_ptr.dtype.element_ty), mask=inside)
            grad *= z * gate
        # Their gradients, backwards: each is that of the output and what comes from the next step.
        from_a, from_c = tl.associative_scan((tl.exp(after[:, None, :] * a[:, :, None]), grad[:, None, :] * c[None, :, :]), 2, two_steps, reverse=True)
        grad_h = from_a * carried[:, :, None] + from_c
        carried = tl.sum(tl.where((step == 0)[None, None, :], grad_h, 0.0), axis=2)
        before = h - added  # the state before the step, faded
        grad_u = tl.sum(grad_h * b[None, :, :], axis=1) * delta + d[:, None] * grad
        grad_delta = tl.sum(grad_h * (b[None, :, :] * u[:, None, :] + a[:, :, None] * before), axis=1) * slope
        tl.store(grad_u_ptr + rows + t[None, :], grad_u.to(grad_u_ptr.dtype.element_ty), mask=inside)
        tl.store(grad_delta_ptr + rows + t[None, :], grad_delta.to(grad_delta_ptr.dtype.element_ty), mask=inside)
        at = sums + s.to(tl.int64)[:, None] * length + t[None, :]
        tl.store(grad_b_ptr + at, tl.sum(grad_h * (delta * u)[:, None, :], axis=0), mask=st_inside)
        tl.store(grad_c_ptr + at, tl.sum(h * grad[:, None, :], axis=0), mask=st_inside)
        grad_a += tl.sum(grad_h * delta[:, None, :] * before, axis=2)
        grad_d += tl.sum(grad * u, axis=1)
        grad_bias += tl.sum(tl.where(inside, grad_delta, 0.0), axis=1)
    tl.store(grad_a_ptr + batch * per_batch + pair, grad_a, mask=pair_inside)
    tl.store(grad_d_ptr + batch * n_channels + channels, grad_d, mask=c_inside)
    tl.store(grad_bias_ptr + batch * n_channels + channels, grad_bias, mask=c_inside)


@triton.jit
def selective_scan_step(state_ptr, u_ptr, delta_ptr, a_ptr, b_ptr, c_ptr, d_ptr, z_ptr, bias_ptr, out_ptr, n_channels, per_group, STATES: tl.constexpr, SOFTPLUS: tl.constexpr,
                        BLOCK_C: tl.constexpr, BLOCK_S: tl.constexpr):
    """One step, all contiguous: state fp32 [batch, channels, STATES] in place, u, delta, z and out [batch, channels], B and C [batch, groups, STATES]. Grid: (blocks of channels, batch)."""
    channels = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    batch = tl.program_id(1).to(tl.int64)
    s = tl.arange(0, BLOCK_S)
    c_inside = channels < n_channels
    pair_inside = c_inside[:, None] & (s < STATES)[None, :]
    pair = channels.to(tl.int64)[:, None] * STATES + s[None, :]
    row = batch * n_channels + channels
    u = tl.load(u_ptr + row, mask=c_inside, other=0.0).to(tl.float32)
    delta = tl.load(delta_ptr + row, mask=c_inside, other=0.0).to(tl.float32) + load_optional(bias_ptr, channels, c_inside)
    if SOFTPLUS:
        delta = softplus(delta)
    a = tl.load(a_ptr + pair, mask=pair_inside, other=0.0).to(tl.float32)
    shared = (batch * (n_channels // per_group) + channels // per_group)[:, None] * STATES + s[None, :]
    b = tl.load(b_ptr + shared, mask=pair_inside, other=0.0).to(tl.float32)
    c = tl.load(c_ptr + shared, mask=pair_inside, other=0.0).to(tl.float32)
    places = state_ptr + batch * n_channels * STATES + pair
    state = tl.load(places, mask=pair_inside, other=0.0) * tl.exp(delta[:, None] * a) + (delta * u)[:, None] * b
    tl.store(places, state, mask=pair_inside)
    y = tl.sum(state * c, axis=1) + load_optional(d_ptr, channels, c_inside) * u
    if z_ptr is not None:
        z = tl.load(z_ptr + row, mask=c_inside, other=0.0).to(tl.float32)
        y *= z * tl.sigmoid(z)
    tl.store(out_ptr + row, y.to(out_ptr.dtype.element_ty), mask=c_inside)

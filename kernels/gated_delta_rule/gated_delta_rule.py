"""The gated delta rule (Gated DeltaNet) along sequences, forward, backward and by steps: a state [DK, DV] that fades, and in which the value of a key is replaced rather than added to,

    state[t] = exp(g[t]) (state[t - 1] - beta[t] k[t] (k[t] · state[t - 1])) + beta[t] k[t] v[t]        out[t] = scale * q[t] · state[t]

It is linear attention over corrected values u, and inside of a chunk these solve a triangular system: (1 + L) u = beta (v - faded k · state) with L[i, j] = beta[i] exp(g[j + 1] + … + g[i]) (k[i] · k[j])
for j < i. L to the power of the chunk's length is 0, so that the inverse is (1 - L)(1 + L^2)(1 + L^4) …: a few products of matrices."""
import triton
import triton.language as tl


@triton.jit
def load_steps(base, rows, stride, inside, columns, n_columns):
    places = base + rows.to(tl.int64)[:, None] * stride + columns[None, :]
    return tl.load(places, mask=inside[:, None] & (columns < n_columns)[None, :], other=0.0)


@triton.jit
def inverse(below, BLOCK_T: tl.constexpr):
    """(1 + below)^-1 of a matrix with zeros on and above the diagonal."""
    step = tl.arange(0, BLOCK_T)
    identity = tl.where(step[:, None] == step[None, :], 1.0, 0.0)
    power = -below
    result = identity + power
    size = 2
    while size < BLOCK_T:
        power = tl.dot(power, power, input_precision="ieee")
        result = tl.dot(result, power, result, input_precision="ieee")
        size *= 2
    return result


@triton.jit
def gated_delta_rule(q_ptr, k_ptr, v_ptr, g_ptr, beta_ptr, initial_ptr, out_ptr, final_ptr, states_ptr, scale, q_stride_b, q_stride_h, q_stride_t, k_stride_b, k_stride_h, k_stride_t,
                     v_stride_b, v_stride_h, v_stride_t, out_stride_b, out_stride_h, out_stride_t, g_stride_b, g_stride_h, g_stride_t, beta_stride_b, beta_stride_h,
                     beta_stride_t, heads, group, length, DK: tl.constexpr, DV: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr,
                     PRECISION: tl.constexpr = None):
    """q and k are [batch, heads / group, length, DK], v and out [batch, heads, length, DV], g (or None for no fading) and beta [batch, heads, length], of any strides but 1 for the last axis
    of the first four; initial and final, fp32 [batch, heads, DK, DV], or None; states, fp32 [batch, heads, chunks of BLOCK_T, DK, DV], get the state before each chunk, or are None; without out only states are made. Grid: (blocks of DV, batch * heads); BLOCK_K >= DK."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    columns_k = tl.arange(0, BLOCK_K)
    columns_v = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    q_ptr += batch * q_stride_b + head // group * q_stride_h
    k_ptr += batch * k_stride_b + head // group * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    if out_ptr is not None:
        out_ptr += batch * out_stride_b + head * out_stride_h
    beta_ptr += batch * beta_stride_b + head * beta_stride_h
    if g_ptr is not None:
        g_ptr += batch * g_stride_b + head * g_stride_h
    states = tl.program_id(1).to(tl.int64) * (DK * DV) + columns_k[:, None] * DV + columns_v[None, :]
    states_inside = (columns_k < DK)[:, None] & (columns_v < DV)[None, :]
    state = tl.zeros((BLOCK_K, BLOCK_V), tl.float32)
    if initial_ptr is not None:
        state += tl.load(initial_ptr + states, mask=states_inside, other=0.0)
    step = tl.arange(0, BLOCK_T)
    for first in range(0, length, BLOCK_T):
        t = first + step
        inside = t < length
        if states_ptr is not None:
            chunk = tl.program_id(1).to(tl.int64) * tl.cdiv(length, BLOCK_T) + first // BLOCK_T
            tl.store(states_ptr + chunk * (DK * DV) + columns_k[:, None] * DV + columns_v[None, :], state, mask=states_inside)
        k = load_steps(k_ptr, t, k_stride_t, inside, columns_k, DK)
        v = load_steps(v_ptr, t, v_stride_t, inside, columns_v, DV)
        beta = tl.load(beta_ptr + t.to(tl.int64) * beta_stride_t, mask=inside, other=0.0).to(tl.float32)
        g = tl.zeros((BLOCK_T, ), tl.float32)
        if g_ptr is not None:
            g += tl.load(g_ptr + t.to(tl.int64) * g_stride_t, mask=inside, other=0.0).to(tl.float32)
        sums = tl.cumsum(g, axis=0)
        last = tl.sum(g, axis=0)
        seen = step[:, None] >= step[None, :]
        decay = tl.where(seen, tl.exp(tl.where(seen, sums[:, None] - sums[None, :], 0.0)), 0.0)
        fade = tl.exp(sums)[:, None]
        below = tl.dot(k, tl.trans(k), input_precision=PRECISION) * decay * beta[:, None]
        solve = inverse(tl.where(step[:, None] > step[None, :], below, 0.0), BLOCK_T)
        held = tl.dot((k.to(tl.float32) * fade).to(k.dtype), state.to(k.dtype), input_precision=PRECISION)  # what the state has for the keys
        u = tl.dot(solve, (v.to(tl.float32) - held) * beta[:, None], input_precision="ieee").to(v.dtype)
        if out_ptr is not None:
            q = load_steps(q_ptr, t, q_stride_t, inside, columns_k, DK)
            score = tl.dot(q, tl.trans(k), input_precision=PRECISION) * decay
            out = tl.dot((q.to(tl.float32) * fade).to(q.dtype), state.to(q.dtype), input_precision=PRECISION)
            out = tl.dot(score.to(v.dtype), u, out, input_precision=PRECISION) * scale
            places = out_ptr + t.to(tl.int64)[:, None] * out_stride_t + columns_v[None, :]
            tl.store(places, out.to(out_ptr.dtype.element_ty), mask=inside[:, None] & (columns_v < DV)[None, :])
        faded = (k.to(tl.float32) * tl.exp(last - sums)[:, None]).to(k.dtype)
        state = tl.dot(tl.trans(faded), u, state * tl.exp(last), input_precision=PRECISION)
    if final_ptr is not None:
        tl.store(final_ptr + states, state, mask=states_inside)


@triton.jit
def gated_delta_rule_backward(q_ptr, k_ptr, v_ptr, g_ptr, beta_ptr, states_ptr, grad_out_ptr, grad_final_ptr, grad_q_ptr, grad_k_ptr, grad_v_ptr, grad_g_ptr, grad_beta_ptr, grad_initial_ptr, scale,
                              q_stride_b, q_stride_h, q_stride_t, k_stride_b, k_stride_h, k_stride_t, v_stride_b, v_stride_h, v_stride_t, grad_stride_b, grad_stride_h, grad_stride_t, g_stride_b,
                              g_stride_h, g_stride_t, beta_stride_b, beta_stride_h, beta_stride_t, heads, group, length, DK: tl.constexpr, DV: tl.constexpr, BLOCK_T: tl.constexpr,
                              BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr, PRECISION: tl.constexpr = None):
    """Arguments as gated_delta_rule has them, with its states of the same BLOCK_T; grad_out as out, grad_final fp32 or None. grad_v is contiguous [batch, heads, length, DV]. The columns of v are independent but for what they share,
    so a block of them has its share of the other gradients: fp32 and contiguous, grad_q and grad_k [blocks of DV, batch, heads, length, DK], grad_g (None without g) and grad_beta [blocks of DV, batch, heads, length];
    grad_initial fp32 [batch, heads, DK, DV] or None. Chunks run from the last to the first. Grid: (blocks of DV, batch * heads)."""
    number = tl.program_id(1).to(tl.int64)
    batch = number // heads
    head = number % heads
    columns_k = tl.arange(0, BLOCK_K)
    columns_v = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    q_ptr += batch * q_stride_b + head // group * q_stride_h
    k_ptr += batch * k_stride_b + head // group * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    grad_out_ptr += batch * grad_stride_b + head * grad_stride_h
    beta_ptr += batch * beta_stride_b + head * beta_stride_h
    if g_ptr is not None:
        g_ptr += batch * g_stride_b + head * g_stride_h
    share = (tl.program_id(0).to(tl.int64) * tl.num_programs(1) + number) * length  # rows before this program's
    in_state = columns_k[:, None] * DV + columns_v[None, :]
    states_inside = (columns_k < DK)[:, None] & (columns_v < DV)[None, :]
    grad_state = tl.zeros((BLOCK_K, BLOCK_V), tl.float32)
    if grad_final_ptr is not None:
        grad_state += tl.load(grad_final_ptr + number * (DK * DV) + in_state, mask=states_inside, other=0.0)
    step = tl.arange(0, BLOCK_T)
    seen = step[:, None] >= step[None, :]
    before = step[:, None] > step[None, :]
    chunks = tl.cdiv(length, BLOCK_T)
    for back in range(0, chunks):
        chunk = chunks - 1 - back
        t = chunk * BLOCK_T + step
        inside = t < length
        # The chunk once more, from the state before it.
        state = tl.load(states_ptr + (number * chunks + chunk) * (DK * DV) + in_state, mask=states_inside, other=0.0)
        q = load_steps(q_ptr, t, q_stride_t, inside, columns_k, DK)
        k = load_steps(k_ptr, t, k_stride_t, inside, columns_k, DK)
        v = load_steps(v_ptr, t, v_stride_t, inside, columns_v, DV)
        beta = tl.load(beta_ptr + t.to(tl.int64) * beta_stride_t, mask=inside, other=0.0).to(tl.float32)
        g = tl.zeros((BLOCK_T, ), tl.float32)
        if g_ptr is not None:
            g += tl.load(g_ptr + t.to(tl.int64) * g_stride_t, mask=inside, other=0.0).to(tl.float32)
        sums = tl.cumsum(g, axis=0)
        last = tl.sum(g, axis=0)
        decay = tl.where(seen, tl.exp(tl.where(seen, sums[:, None] - sums[None, :], 0.0)), 0.0)
        fade = tl.exp(sums)[:, None]
        rest = tl.exp(last - sums)[:, None]
        near = tl.dot(k, tl.trans(k), input_precision=PRECISION) * decay
        solve = inverse(tl.where(before, near * beta[:, None], 0.0), BLOCK_T)
        faded_k = k.to(tl.float32) * fade
        missing = v.to(tl.float32) - tl.dot(faded_k.to(k.dtype), state.to(k.dtype), input_precision=PRECISION)
        u = tl.dot(solve, missing * beta[:, None], input_precision="ieee")
        score = tl.dot(q, tl.trans(k), input_precision=PRECISION) * decay
        # Backward: out = scale ((fade q) state + score u), the state behind is exp(last) state + (rest k)^T u.
        grad_out = (load_steps(grad_out_ptr, t, grad_stride_t, inside, columns_v, DV).to(tl.float32) * scale).to(v.dtype)
        narrow_u, narrow_state, narrow_grad = u.to(v.dtype), state.to(k.dtype), grad_state.to(k.dtype)
        rest_k = k.to(tl.float32) * rest
        grad_u = tl.dot(tl.trans(score.to(v.dtype)), grad_out, input_precision=PRECISION)
        grad_u = tl.dot(rest_k.to(k.dtype), narrow_grad, grad_u, input_precision=PRECISION)
        grad_r = tl.dot(tl.trans(solve), grad_u, input_precision="ieee")  # of beta * missing
        grad_v = grad_r * beta[:, None]
        grad_score = tl.dot(grad_out, tl.trans(narrow_u), input_precision=PRECISION)
        grad_near = tl.where(before, -tl.dot(grad_r, tl.trans(u), input_precision="ieee"), 0.0)
        grad_beta = tl.sum(grad_r * missing, axis=1) + tl.sum(grad_near * near, axis=1)
        grad_near *= beta[:, None]
        from_state = tl.dot(grad_out, tl.trans(narrow_state), input_precision=PRECISION) * fade
        to_state = -tl.dot(grad_v.to(k.dtype), tl.trans(narrow_state), input_precision=PRECISION) * fade
        from_later = tl.dot(narrow_u, tl.trans(narrow_grad), input_precision=PRECISION) * rest
        pairs = (grad_near * decay).to(k.dtype)
        read = (grad_score * decay).to(k.dtype)
        grad_q = tl.dot(read, k, from_state, input_precision=PRECISION)
        grad_k = tl.dot(tl.trans(read), q, to_state + from_later, input_precision=PRECISION)
        grad_k = tl.dot(pairs, k, grad_k, input_precision=PRECISION)
        grad_k = tl.dot(tl.trans(pairs), k, grad_k, input_precision=PRECISION)
        rows = share + t
        in_rows = rows[:, None] * DK + columns_k[None, :]
        rows_inside = inside[:, None] & (columns_k < DK)[None, :]
        tl.store(grad_q_ptr + in_rows, grad_q, mask=rows_inside)
        tl.store(grad_k_ptr + in_rows, grad_k, mask=rows_inside)
        tl.store(grad_beta_ptr + rows, grad_beta, mask=inside)
        places = grad_v_ptr + (number * length + t)[:, None] * DV + columns_v[None, :]
        tl.store(places, grad_v.to(grad_v_ptr.dtype.element_ty), mask=inside[:, None] & (columns_v < DV)[None, :])
        if g_ptr is not None:
            # What each sum of g moves: its row of the decays, less its column, the state's reading at its step, less the fading behind it.
            between = grad_near * near + grad_score * score
            later = tl.sum(k.to(tl.float32) * from_later, axis=1)
            grad_sums = tl.sum(between, axis=1) - tl.sum(between, axis=0) + tl.sum(q.to(tl.float32) * from_state + k.to(tl.float32) * to_state, axis=1) - later
            grad_last = tl.sum(later, axis=0) + tl.exp(last) * tl.sum(tl.sum(state * grad_state, axis=1), axis=0)
            tl.store(grad_g_ptr + rows, grad_last + tl.sum(grad_sums, axis=0) - tl.cumsum(grad_sums, axis=0) + grad_sums, mask=inside)
        grad_state = tl.dot(tl.trans((q.to(tl.float32) * fade).to(k.dtype)), grad_out, grad_state * tl.exp(last), input_precision=PRECISION)
        grad_state = tl.dot(tl.trans((-faded_k).to(k.dtype)), grad_v.to(k.dtype), grad_state, input_precision=PRECISION)
    if grad_initial_ptr is not None:
        tl.store(grad_initial_ptr + number * (DK * DV) + in_state, grad_state, mask=states_inside)


@triton.jit
def sum_of_shares(x_ptr, out_ptr, size, shares, group, BLOCK: tl.constexpr):
    """out[i] = the sum of x[s, i * group + j, :] over shares s and the heads j that i serves: x fp32 [shares, n * group, size], out [n, size], contiguous. Grid: (blocks of size, n)."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1).to(tl.int64)
    total = tl.zeros((BLOCK, ), tl.float32)
    for share in range(0, shares):
        for j in range(0, group):
            total += tl.load(x_ptr + ((share * tl.num_programs(1) + row) * group + j) * size + i, mask=i < size, other=0.0)
    tl.store(out_ptr + row * size + i, total.to(out_ptr.dtype.element_ty), mask=i < size)


@triton.jit
def gated_delta_rule_step(q_ptr, k_ptr, v_ptr, g_ptr, beta_ptr, state_ptr, out_ptr, scale, heads, group, DK: tl.constexpr, DV: tl.constexpr, BLOCK_K: tl.constexpr,
                          BLOCK_V: tl.constexpr):
    """One step, all contiguous: q and k [batch, heads / group, DK], v and out [batch, heads, DV], g (or None) and beta [batch, heads], state fp32 [batch, heads, DK, DV] in place. Grid: (blocks of DV,
    batch * heads)."""
    number = tl.program_id(1).to(tl.int64)
    row = number // heads * (heads // group) + number % heads // group
    columns_k = tl.arange(0, BLOCK_K)
    columns_v = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    q = tl.load(q_ptr + row * DK + columns_k, mask=columns_k < DK, other=0.0).to(tl.float32)
    k = tl.load(k_ptr + row * DK + columns_k, mask=columns_k < DK, other=0.0).to(tl.float32)
    v = tl.load(v_ptr + number * DV + columns_v, mask=columns_v < DV, other=0.0).to(tl.float32)
    beta = tl.load(beta_ptr + number).to(tl.float32)
    places = state_ptr + number * (DK * DV) + columns_k[:, None] * DV + columns_v[None, :]
    inside = (columns_k < DK)[:, None] & (columns_v < DV)[None, :]
    state = tl.load(places, mask=inside, other=0.0)
    if g_ptr is not None:
        state *= tl.exp(tl.load(g_ptr + number).to(tl.float32))
    held = tl.sum(state * k[:, None], axis=0)
    state += k[:, None] * ((v - held) * beta)[None, :]
    tl.store(places, state, mask=inside)
    tl.store(out_ptr + number * DV + columns_v, (tl.sum(state * q[:, None], axis=0) * scale).to(out_ptr.dtype.element_ty), mask=columns_v < DV)

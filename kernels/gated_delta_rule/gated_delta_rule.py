"""The gated delta rule (Gated DeltaNet) along sequences, forward, backward and by steps: a state [DK, DV] that fades, and in which the value of a key is replaced rather than added to,

    state[t] = exp(g[t]) (state[t - 1] - beta[t] k[t] (k[t] · state[t - 1])) + beta[t] k[t] v[t]        out[t] = scale * q[t] · state[t]

It is linear attention over corrected values u, and inside of a chunk these solve a triangular system: (1 + L) u = beta (v - faded k · state) with L[i, j] = beta[i] exp(g[j + 1] + … + g[i]) (k[i] · k[j])
for j < i. The inverse is made from that of blocks on the diagonal, which double: a few products of matrices."""
import triton
import triton.language as tl


@triton.jit
def load_steps(base, rows, stride, inside, columns, n_columns):
    places = base + rows.to(tl.int64)[:, None] * stride + columns[None, :]
    return tl.load(places, mask=inside[:, None] & (columns < n_columns)[None, :], other=0.0)


@triton.jit
def inverse(below, PRECISION: tl.constexpr = "ieee"):
    """(1 + below)^-1 of a matrix with zeros on and above the diagonal: X, the inverses of the blocks of SIZE on the diagonal, are those of blocks twice as large less X C X, where C are the corners below and left in these."""
    step = tl.arange(0, below.shape[0])
    apart = step[:, None] ^ step[None, :]  # SIZE <= apart < 2 SIZE: in a corner
    result = tl.where(apart == 0, 1.0, tl.where(apart == 1, -below, 0.0))
    size = 2
    while size < below.shape[0]:
        corners = tl.where((apart & -size) == size, -below, 0.0)
        result = tl.dot(tl.dot(result, corners, input_precision=PRECISION), result, result, input_precision=PRECISION)
        size *= 2
    return result


@triton.jit
def load_numbers(base, t, stride, inside):
    """A number for each step; 0 where there is no array, and past the end."""
    if base is None:
        return tl.zeros(t.shape, tl.float32)
    else:
        return tl.load(base + t.to(tl.int64) * stride, mask=inside, other=0.0).to(tl.float32)


@triton.jit
def decays_of(sums):
    """What is left at each step of those up to it."""
    step = tl.arange(0, sums.shape[0])
    seen = step[:, None] >= step[None, :]
    return tl.where(seen, tl.exp(tl.where(seen, sums[:, None] - sums[None, :], 0.0)), 0.0)


@triton.jit
def solution(k, decay, beta, PRECISION: tl.constexpr):
    """(1 + L)^-1 of some steps, as exact as their type: on tensor cores but for fp32."""
    step = tl.arange(0, k.shape[0])
    below = tl.dot(k, tl.trans(k), input_precision=PRECISION) * decay * beta[:, None]
    return inverse(tl.where(step[:, None] > step[None, :], below, 0.0), "ieee" if k.dtype == tl.float32 else "tf32" if k.dtype == tl.bfloat16 else "tf32x3")


@triton.jit
def store_steps(base, rows, inside, columns, n_columns, values):
    tl.store(base + rows[:, None] * n_columns + columns[None, :], values.to(base.dtype.element_ty), mask=inside[:, None] & (columns < n_columns)[None, :])


@triton.jit
def gated_delta_rule_chunks(q_ptr, k_ptr, v_ptr, g_ptr, beta_ptr, sums_ptr, w_ptr, u_ptr, score_ptr, q_stride_b, q_stride_h, q_stride_t, k_stride_b, k_stride_h, k_stride_t, v_stride_b, v_stride_h,
                            v_stride_t, g_stride_b, g_stride_h, g_stride_t, beta_stride_b, beta_stride_h, beta_stride_t, heads, group, length, DK: tl.constexpr, DV: tl.constexpr, BLOCK_T: tl.constexpr,
                            PART: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr, PRECISION: tl.constexpr = None):
    """What chunks of BLOCK_T steps need no state for, each by a program: with it, the corrected values of a chunk are u - w · state. Contiguous: sums of g in a chunk, fp32 [batch, heads, length]; w = (1 + L)^-1 (beta fade k), [batch,
    heads, length, DK]; u = (1 + L)^-1 (beta v), [batch, heads, length, DV]; score = q · k with decays, [batch, heads, chunks, BLOCK_T, BLOCK_T], or None. A chunk is one part of PART steps, or two: the inverse of a part takes products of
    PART^3, and what the first part amounts to is taken from the second. Inputs as gated_delta_rule has them. Grid: (chunks, batch * heads); BLOCK_K >= DK, BLOCK_V >= DV."""
    number = tl.program_id(1).to(tl.int64)
    batch = number // heads
    head = number % heads
    columns_k = tl.arange(0, BLOCK_K)
    columns_v = tl.arange(0, BLOCK_V)
    k_ptr += batch * k_stride_b + head // group * k_stride_h
    v_ptr += batch * v_stride_b + head * v_stride_h
    beta_ptr += batch * beta_stride_b + head * beta_stride_h
    if g_ptr is not None:
        g_ptr += batch * g_stride_b + head * g_stride_h
    chunk = number * tl.num_programs(0) + tl.program_id(0)
    step = tl.arange(0, PART)
    t = tl.program_id(0) * BLOCK_T + step
    inside = t < length
    k = load_steps(k_ptr, t, k_stride_t, inside, columns_k, DK)
    v = load_steps(v_ptr, t, v_stride_t, inside, columns_v, DV)
    beta = load_numbers(beta_ptr, t, beta_stride_t, inside)
    g = load_numbers(g_ptr, t, g_stride_t, inside)
    sums = tl.cumsum(g, axis=0)
    decay = decays_of(sums)
    solve = solution(k, decay, beta, PRECISION)
    for_w = beta * tl.exp(sums)
    w = tl.dot((solve * for_w[None, :]).to(k.dtype), k, input_precision=PRECISION)
    u = tl.dot((solve * beta[None, :]).to(v.dtype), v, input_precision=PRECISION)
    rows = number * length + t
    tl.store(sums_ptr + rows, sums, mask=inside)
    store_steps(w_ptr, rows, inside, columns_k, DK, w)
    store_steps(u_ptr, rows, inside, columns_v, DV, u)
    if score_ptr is not None:
        q_ptr += batch * q_stride_b + head // group * q_stride_h
        scores = score_ptr + chunk * (BLOCK_T * BLOCK_T) + step[:, None] * BLOCK_T + step[None, :]
        q = load_steps(q_ptr, t, q_stride_t, inside, columns_k, DK)
        tl.store(scores, (tl.dot(q, tl.trans(k), input_precision=PRECISION) * decay).to(score_ptr.dtype.element_ty))
    if PART < BLOCK_T:
        t += PART
        inside = t < length
        later_k = load_steps(k_ptr, t, k_stride_t, inside, columns_k, DK)
        later_v = load_steps(v_ptr, t, v_stride_t, inside, columns_v, DV)
        later_beta = load_numbers(beta_ptr, t, beta_stride_t, inside)
        later_sums = tl.cumsum(load_numbers(g_ptr, t, g_stride_t, inside), axis=0) + tl.sum(g, axis=0)
        later_decay = decays_of(later_sums)
        decay = tl.exp(later_sums[:, None] - sums[None, :])
        later_solve = solution(later_k, later_decay, later_beta, PRECISION)
        across = tl.dot(later_k, tl.trans(k), input_precision=PRECISION) * decay * later_beta[:, None]
        across = tl.dot(later_solve.to(k.dtype), across.to(k.dtype), input_precision=PRECISION)
        across = -tl.dot(across.to(k.dtype), solve.to(k.dtype), input_precision=PRECISION)  # the rows of this part, the columns of the first
        w = tl.dot((across * for_w[None, :]).to(k.dtype), k, input_precision=PRECISION)
        w = tl.dot((later_solve * (later_beta * tl.exp(later_sums))[None, :]).to(k.dtype), later_k, w, input_precision=PRECISION)
        u = tl.dot((across * beta[None, :]).to(v.dtype), v, input_precision=PRECISION)
        u = tl.dot((later_solve * later_beta[None, :]).to(v.dtype), later_v, u, input_precision=PRECISION)
        rows += PART
        tl.store(sums_ptr + rows, later_sums, mask=inside)
        store_steps(w_ptr, rows, inside, columns_k, DK, w)
        store_steps(u_ptr, rows, inside, columns_v, DV, u)
        if score_ptr is not None:
            q = load_steps(q_ptr, t, q_stride_t, inside, columns_k, DK)
            tl.store(scores + PART, tl.zeros((PART, PART), score_ptr.dtype.element_ty))
            tl.store(scores + PART * BLOCK_T, (tl.dot(q, tl.trans(k), input_precision=PRECISION) * decay).to(score_ptr.dtype.element_ty))
            tl.store(scores + PART * BLOCK_T + PART, (tl.dot(q, tl.trans(later_k), input_precision=PRECISION) * later_decay).to(score_ptr.dtype.element_ty))


@triton.jit
def gated_delta_rule(q_ptr, k_ptr, sums_ptr, w_ptr, u_ptr, score_ptr, initial_ptr, out_ptr, final_ptr, states_ptr, scale, q_stride_b, q_stride_h, q_stride_t, k_stride_b, k_stride_h, k_stride_t,
                     out_stride_b, out_stride_h, out_stride_t, heads, group, length, DK: tl.constexpr, DV: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr,
                     PRECISION: tl.constexpr = None):
    """Chunk by chunk, from what gated_delta_rule_chunks has made. q and k are [batch, heads / group, length, DK], v and out [batch, heads, length, DV], g (or None for no fading) and beta [batch, heads, length], of any strides but 1 for the last axis
    of the first four; initial and final, fp32 [batch, heads, DK, DV], or None; states, fp32 [batch, heads, chunks of BLOCK_T, DK, DV], get the state before each chunk, or are None; without out (and score) only states are made. Grid: (blocks of DV, batch * heads); BLOCK_K >= DK."""
    number = tl.program_id(1).to(tl.int64)
    batch = number // heads
    head = number % heads
    columns_k = tl.arange(0, BLOCK_K)
    columns_v = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    q_ptr += batch * q_stride_b + head // group * q_stride_h
    k_ptr += batch * k_stride_b + head // group * k_stride_h
    if out_ptr is not None:
        out_ptr += batch * out_stride_b + head * out_stride_h
    sums_ptr += number * length
    w_ptr += number * length * DK
    u_ptr += number * length * DV
    in_state = columns_k[:, None] * DV + columns_v[None, :]
    states_inside = (columns_k < DK)[:, None] & (columns_v < DV)[None, :]
    state = tl.zeros((BLOCK_K, BLOCK_V), tl.float32)
    if initial_ptr is not None:
        state += tl.load(initial_ptr + number * (DK * DV) + in_state, mask=states_inside, other=0.0)
    step = tl.arange(0, BLOCK_T)
    chunks = tl.cdiv(length, BLOCK_T)
    for chunk in range(0, chunks):
        t = chunk * BLOCK_T + step
        inside = t < length
        if states_ptr is not None:
            tl.store(states_ptr + (number * chunks + chunk) * (DK * DV) + in_state, state, mask=states_inside)
        w = load_steps(w_ptr, t, DK, inside, columns_k, DK)
        u = load_steps(u_ptr, t, DV, inside, columns_v, DV)
        k = load_steps(k_ptr, t, k_stride_t, inside, columns_k, DK)
        sums = tl.load(sums_ptr + t, mask=inside, other=0.0)
        last = tl.load(sums_ptr + tl.minimum(chunk * BLOCK_T + BLOCK_T, length) - 1)
        narrow = state.to(w.dtype)
        corrected = u.to(tl.float32) - tl.dot(w, narrow, input_precision=PRECISION)
        if out_ptr is not None:
            q = load_steps(q_ptr, t, q_stride_t, inside, columns_k, DK)
            score = tl.load(score_ptr + (number * chunks + chunk) * (BLOCK_T * BLOCK_T) + step[:, None] * BLOCK_T + step[None, :])
            out = tl.dot(q, narrow, input_precision=PRECISION) * tl.exp(sums)[:, None]
            out = tl.dot(score, corrected.to(score.dtype), out, input_precision=PRECISION) * scale
            places = out_ptr + t.to(tl.int64)[:, None] * out_stride_t + columns_v[None, :]
            tl.store(places, out.to(out_ptr.dtype.element_ty), mask=inside[:, None] & (columns_v < DV)[None, :])
        faded = (corrected * tl.exp(last - sums)[:, None]).to(k.dtype)
        state = tl.dot(tl.trans(k), faded, state * tl.exp(last), input_precision=PRECISION)
    if final_ptr is not None:
        tl.store(final_ptr + number * (DK * DV) + in_state, state, mask=states_inside)


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
        solve = inverse(tl.where(before, near * beta[:, None], 0.0))
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

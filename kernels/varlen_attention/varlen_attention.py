"""Attention of many sequences of different lengths in one launch, forward: prefill, prefill in chunks behind a cached beginning, and decoding, mixed as they
come; and backward where keys and values are packed. The queries of all sequences lie one after the other, [tokens, heads, DIM]: those of sequence b are starts_q[b] … starts_q[b + 1] - 1. Its keys and
values are starts_k[b] … starts_k[b + 1] - 1 of [tokens, heads / group, DIM], or the first lengths_k[b] rows of the pages pages[b, …] of a cache
[pages, PAGE_SIZE, heads / group, DIM].

The last query stands at the last key: query i of n stands at place i + (number of keys) - n, and sees the keys from window_left before that place to
window_right behind it; a negative number is no bound, and window_right 0 is causal. A query that sees no key gives 0."""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def load_rows(base, begin, page, row, stride_page, stride_row, d, inside, DIM: tl.constexpr, BLOCK_D: tl.constexpr, MASKED: tl.constexpr):
    """Rows behind `begin`, in one page or in a page for each; zeros where they are not inside."""
    base += tl.cast(begin, tl.int64) * stride_row
    rows = base + (page.to(tl.int64) * stride_page + row.to(tl.int64) * stride_row)[:, None] + d[None, :]
    if MASKED and DIM == BLOCK_D:
        return tl.load(rows, mask=inside[:, None], other=0.0)
    elif MASKED:
        return tl.load(rows, mask=inside[:, None] & (d < DIM)[None, :], other=0.0)
    elif DIM == BLOCK_D:
        return tl.load(rows)
    else:
        return tl.load(rows, mask=(d < DIM)[None, :], other=0.0)


@triton.jit
def attend(total, weight, largest, q, k_ptr, v_ptr, pages_ptr, slope, first, last, place, left, right, length_k, scale,  #
           k_stride_p, k_stride_t, v_stride_p, v_stride_t, DIM: tl.constexpr, PAGE_SIZE: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_D: tl.constexpr, MASKED: tl.constexpr, SOFTCAP: tl.constexpr, PRECISION: tl.constexpr):
    """Adds the keys first … last - 1, from a multiple of BLOCK_N on: `largest` score so far, sum of `weight`s and weighted `total` relative to it."""
    d = tl.arange(0, BLOCK_D)
    for begin in range(first, last, BLOCK_N):
        row = tl.arange(0, BLOCK_N)
        columns = begin + row
        inside = columns < length_k
        start = begin
        page = tl.full((), 0, tl.int32)
        if pages_ptr is not None:
            if PAGE_SIZE % BLOCK_N == 0:
                page = tl.load(pages_ptr + begin // PAGE_SIZE)
                start = begin % PAGE_SIZE
            else:
                page = tl.load(pages_ptr + columns // PAGE_SIZE, mask=inside, other=0)
                row = columns % PAGE_SIZE
                start = 0
        keys = load_rows(k_ptr, start, page, row, k_stride_p, k_stride_t, d, inside, DIM, BLOCK_D, MASKED).to(q.dtype)
        score = tl.dot(q, tl.trans(keys), input_precision=PRECISION) * scale
        if SOFTCAP > 0:
            score = SOFTCAP * (2 * tl.sigmoid(score * (2 / SOFTCAP)) - 1)
        if slope is not None:
            score -= slope * tl.abs(place[:, None] - columns[None, :]).to(tl.float32)
        score *= LOG2_E
        if MASKED:
            seen = inside[None, :] & (columns[None, :] >= place[:, None] - left) & (columns[None, :] <= place[:, None] + right)
            score = tl.where(seen, score, -float("inf"))
        now = tl.maximum(largest, tl.max(score, axis=1))
        reference = tl.where(now == -float("inf"), 0.0, now)  # a row that has seen no key yet
        p = tl.exp2(score - reference[:, None])
        shrink = tl.exp2(largest - reference)
        weight = weight * shrink + tl.sum(p, axis=1)
        values = load_rows(v_ptr, start, page, row, v_stride_p, v_stride_t, d, inside, DIM, BLOCK_D, MASKED).to(q.dtype)
        total = tl.dot(p.to(q.dtype), values, total * shrink[:, None], input_precision=PRECISION)
        largest = now
    return total, weight, largest


@triton.jit
def seen_keys(first_row, length_q, length_k, window_left, window_right, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """(left, right, first, last, whole, end): the window, of any length where it has none; keys from `first` to `last` are seen by some query of a block, those from `whole` to `end` by all."""
    shift = length_k - length_q
    left = tl.where(window_left < 0, length_k + length_q, window_left)
    right = tl.where(window_right < 0, length_k + length_q, window_right)
    last_row = tl.minimum(first_row + BLOCK_M, length_q) - 1
    first = tl.maximum(first_row + shift - left, 0) // BLOCK_N * BLOCK_N
    last = tl.minimum(last_row + shift + right + 1, length_k)
    whole = (tl.maximum(last_row + shift - left, 0) + BLOCK_N - 1) // BLOCK_N * BLOCK_N
    end = tl.maximum(tl.maximum(tl.minimum(first_row + shift + right + 1, length_k), 0) // BLOCK_N * BLOCK_N, whole)
    return left, right, first, last, whole, end


@triton.jit
def varlen_attention(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, starts_q_ptr, starts_k_ptr, lengths_k_ptr, pages_ptr, slopes_ptr, scale, window_left,
                     window_right, q_stride_t, q_stride_h, k_stride_p, k_stride_t, k_stride_h, v_stride_p, v_stride_t, v_stride_h, out_stride_t,
                     out_stride_h, pages_stride, n_tokens, heads, group, DIM: tl.constexpr, PAGE_SIZE: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr, SOFTCAP: tl.constexpr = 0.0, PRECISION: tl.constexpr = None):
    """Grid: (blocks of BLOCK_M queries of the longest sequence, batch * heads). lse is fp32 [heads, n_tokens], natural logarithms. starts_k, or with
    pages lengths_k; the other one is None. slopes (ALiBi, fp32, one a head, or None) take slope * distance off a score; SOFTCAP c turns a score
    s into c * tanh(s / c) before."""
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    start_q = tl.load(starts_q_ptr + batch)
    length_q = tl.load(starts_q_ptr + batch + 1) - start_q
    first_row = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_M  # the last queries see the most keys: they come first
    if first_row < length_q:
        k_ptr += (head // group).to(tl.int64) * k_stride_h
        v_ptr += (head // group).to(tl.int64) * v_stride_h
        if pages_ptr is None:
            start_k = tl.load(starts_k_ptr + batch)
            length_k = tl.load(starts_k_ptr + batch + 1) - start_k
            k_ptr += start_k.to(tl.int64) * k_stride_t
            v_ptr += start_k.to(tl.int64) * v_stride_t
        else:
            length_k = tl.load(lengths_k_ptr + batch)
            pages_ptr += batch.to(tl.int64) * pages_stride
        if slopes_ptr is None:
            slope = None
        else:
            slope = tl.load(slopes_ptr + head)

        rows = first_row + tl.arange(0, BLOCK_M)
        row_inside = rows < length_q
        d = tl.arange(0, BLOCK_D)
        token = (start_q + rows).to(tl.int64)
        in_head = row_inside[:, None] & (d < DIM)[None, :]
        q = tl.load(q_ptr + head.to(tl.int64) * q_stride_h + token[:, None] * q_stride_t + d[None, :], mask=in_head, other=0.0)
        total = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)
        weight = tl.zeros((BLOCK_M, ), tl.float32)
        largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)

        place = rows + (length_k - length_q)
        left, right, first, last, whole, end = seen_keys(first_row, length_q, length_k, window_left, window_right, BLOCK_M, BLOCK_N)
        total, weight, largest = attend(total, weight, largest, q, k_ptr, v_ptr, pages_ptr, slope, first, tl.minimum(whole, last), place, left, right,
                                        length_k, scale, k_stride_p, k_stride_t, v_stride_p, v_stride_t, DIM, PAGE_SIZE, BLOCK_N, BLOCK_D, True,
                                        SOFTCAP, PRECISION)
        total, weight, largest = attend(total, weight, largest, q, k_ptr, v_ptr, pages_ptr, slope, whole, end, place, left, right, length_k, scale,
                                        k_stride_p, k_stride_t, v_stride_p, v_stride_t, DIM, PAGE_SIZE, BLOCK_N, BLOCK_D, False, SOFTCAP, PRECISION)
        total, weight, largest = attend(total, weight, largest, q, k_ptr, v_ptr, pages_ptr, slope, end, last, place, left, right, length_k, scale,
                                        k_stride_p, k_stride_t, v_stride_p, v_stride_t, DIM, PAGE_SIZE, BLOCK_N, BLOCK_D, True, SOFTCAP, PRECISION)

        none = weight == 0.0
        result = total / tl.where(none, 1.0, weight)[:, None]
        out = out_ptr + head.to(tl.int64) * out_stride_h + token[:, None] * out_stride_t + d[None, :]
        tl.store(out, result.to(out_ptr.dtype.element_ty), mask=in_head)
        lse = tl.where(none, -float("inf"), (largest + tl.log2(weight)) * LN_2)
        tl.store(lse_ptr + head.to(tl.int64) * n_tokens + token, lse, mask=row_inside)


@triton.jit
def weighed(product, scale, slope, lse, place, columns, left, right, MASKED: tl.constexpr, SOFTCAP: tl.constexpr):
    """The weights of keys in the forward pass, and how fast a score grows with q * k * scale. lse is to base 2, +inf for a query that sees no key. Queries and keys stand along any axes."""
    score = product * scale
    growth = 1.0
    if SOFTCAP > 0:
        bent = 2 * tl.sigmoid(score * (2 / SOFTCAP)) - 1
        score = SOFTCAP * bent
        growth = 1 - bent * bent
    if slope is not None:
        score -= slope * tl.abs(place - columns).to(tl.float32)
    p = tl.exp2(score * LOG2_E - lse)
    if MASKED:
        p = tl.where((columns >= place - left) & (columns <= place + right), p, 0.0)
    return p, growth


@triton.jit
def packed_rows(base, start, rows, stride_t, inside, DIM: tl.constexpr, BLOCK_D: tl.constexpr):
    """Rows of one sequence and head, from token `start` on; zeros where they are not inside."""
    d = tl.arange(0, BLOCK_D)
    places = base + (start + rows).to(tl.int64)[:, None] * stride_t + d[None, :]
    if DIM == BLOCK_D:
        return tl.load(places, mask=inside[:, None], other=0.0)
    else:
        return tl.load(places, mask=inside[:, None] & (d < DIM)[None, :], other=0.0)


@triton.jit
def store_rows(base, start, rows, stride_t, inside, values, DIM: tl.constexpr, BLOCK_D: tl.constexpr):
    d = tl.arange(0, BLOCK_D)
    tl.store(base + (start + rows).to(tl.int64)[:, None] * stride_t + d[None, :], values.to(base.dtype.element_ty), mask=inside[:, None] & (d < DIM)[None, :])


@triton.jit
def load_lse(lse_ptr, token, inside):
    """To base 2; +inf makes all weights of a query 0."""
    lse = tl.load(lse_ptr + token, mask=inside, other=0.0) * LOG2_E
    return tl.where(lse == -float("inf"), float("inf"), lse)


@triton.jit
def varlen_attention_delta(out_ptr, grad_out_ptr, delta_ptr, out_stride_t, out_stride_h, n_tokens, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_D: tl.constexpr):
    """delta = sum(out * grad_out), fp32 [heads, n_tokens]: what the backward pass of the softmax subtracts. Grid: (blocks of tokens, heads)."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = rows < n_tokens
    head = tl.program_id(1).to(tl.int64)
    out = packed_rows(out_ptr + head * out_stride_h, 0, rows, out_stride_t, inside, DIM, BLOCK_D).to(tl.float32)
    grad_out = packed_rows(grad_out_ptr + head * out_stride_h, 0, rows, out_stride_t, inside, DIM, BLOCK_D).to(tl.float32)
    tl.store(delta_ptr + head * n_tokens + rows, tl.sum(out * grad_out, axis=1), mask=inside)


@triton.jit
def add_key_gradients(grad_k, grad_v, k, v, q_ptr, grad_out_ptr, lse_ptr, delta_ptr, slope, first, last, columns, left, right, start_q, length_q, shift, scale, q_stride_t, out_stride_t,
                      DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_D: tl.constexpr, MASKED: tl.constexpr, SOFTCAP: tl.constexpr, PRECISION: tl.constexpr):
    """Adds what the queries first … last - 1 of one head contribute. Scores stand transposed, with a row for each key. A query past the end is all zeros, and adds none."""
    for begin in range(first, last, BLOCK_M):
        rows = begin + tl.arange(0, BLOCK_M)
        inside = rows < length_q
        q = packed_rows(q_ptr, start_q, rows, q_stride_t, inside, DIM, BLOCK_D)
        lse = load_lse(lse_ptr, start_q + rows, inside)
        product = tl.dot(k, tl.trans(q), input_precision=PRECISION)
        p, growth = weighed(product, scale, slope, lse[None, :], (rows + shift)[None, :], columns[:, None], left, right, MASKED, SOFTCAP)
        grad_out = packed_rows(grad_out_ptr, start_q, rows, out_stride_t, inside, DIM, BLOCK_D)
        grad_v = tl.dot(p.to(grad_out.dtype), grad_out, grad_v, input_precision=PRECISION)
        delta = tl.load(delta_ptr + start_q + rows, mask=inside, other=0.0)
        grad_p = tl.dot(v, tl.trans(grad_out), input_precision=PRECISION)
        grad_score = p * (grad_p - delta[None, :]) * growth
        grad_k = tl.dot(grad_score.to(q.dtype), q, grad_k, input_precision=PRECISION)
    return grad_k, grad_v


@triton.jit
def varlen_attention_backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, starts_q_ptr, starts_k_ptr, slopes_ptr, scale, window_left, window_right,  #
                                 q_stride_t, q_stride_h, k_stride_t, k_stride_h, v_stride_t, v_stride_h, out_stride_t, out_stride_h, n_tokens, heads, group, DIM: tl.constexpr,
                                 BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr, SOFTCAP: tl.constexpr = 0.0, PRECISION: tl.constexpr = None):
    """Gradients of k and v, with the strides of these; grad_out has those of out. Grid: (blocks of BLOCK_N keys of the longest sequence, batch * heads of k)."""
    heads_k = heads // group
    batch = tl.program_id(1) // heads_k
    head_k = (tl.program_id(1) % heads_k).to(tl.int64)
    start_q = tl.load(starts_q_ptr + batch)
    length_q = tl.load(starts_q_ptr + batch + 1) - start_q
    start_k = tl.load(starts_k_ptr + batch)
    length_k = tl.load(starts_k_ptr + batch + 1) - start_k
    first_column = tl.program_id(0) * BLOCK_N
    if first_column < length_k:
        columns = first_column + tl.arange(0, BLOCK_N)
        column_inside = columns < length_k
        k = packed_rows(k_ptr + head_k * k_stride_h, start_k, columns, k_stride_t, column_inside, DIM, BLOCK_D)
        v = packed_rows(v_ptr + head_k * v_stride_h, start_k, columns, v_stride_t, column_inside, DIM, BLOCK_D)
        grad_k = tl.zeros((BLOCK_N, BLOCK_D), tl.float32)
        grad_v = tl.zeros((BLOCK_N, BLOCK_D), tl.float32)

        # Queries from `first` to `last` see some key of the block, those from `whole` to `end` all of them.
        shift = length_k - length_q
        left = tl.where(window_left < 0, length_k + length_q, window_left)
        right = tl.where(window_right < 0, length_k + length_q, window_right)
        last_column = first_column + BLOCK_N - 1
        first = tl.maximum(first_column - right - shift, 0) // BLOCK_M * BLOCK_M
        last = tl.minimum(tl.minimum(last_column, length_k - 1) + left - shift + 1, length_q)
        whole = (tl.maximum(last_column - right - shift, 0) + BLOCK_M - 1) // BLOCK_M * BLOCK_M
        end = tl.maximum(tl.maximum(tl.minimum(first_column + left - shift + 1, length_q), 0) // BLOCK_M * BLOCK_M, whole)
        for member in range(0, group):
            head = head_k * group + member
            if slopes_ptr is None:
                slope = None
            else:
                slope = tl.load(slopes_ptr + head)
            q = q_ptr + head * q_stride_h
            grad_out = grad_out_ptr + head * out_stride_h
            lse = lse_ptr + head * n_tokens
            delta = delta_ptr + head * n_tokens
            grad_k, grad_v = add_key_gradients(grad_k, grad_v, k, v, q, grad_out, lse, delta, slope, first, tl.minimum(whole, last), columns, left, right, start_q, length_q, shift, scale, q_stride_t,
                                               out_stride_t, DIM, BLOCK_M, BLOCK_D, True, SOFTCAP, PRECISION)
            grad_k, grad_v = add_key_gradients(grad_k, grad_v, k, v, q, grad_out, lse, delta, slope, whole, end, columns, left, right, start_q, length_q, shift, scale, q_stride_t, out_stride_t, DIM,
                                               BLOCK_M, BLOCK_D, False, SOFTCAP, PRECISION)
            grad_k, grad_v = add_key_gradients(grad_k, grad_v, k, v, q, grad_out, lse, delta, slope, end, last, columns, left, right, start_q, length_q, shift, scale, q_stride_t, out_stride_t, DIM,
                                               BLOCK_M, BLOCK_D, True, SOFTCAP, PRECISION)
        store_rows(grad_k_ptr + head_k * k_stride_h, start_k, columns, k_stride_t, column_inside, grad_k * scale, DIM, BLOCK_D)
        store_rows(grad_v_ptr + head_k * v_stride_h, start_k, columns, v_stride_t, column_inside, grad_v, DIM, BLOCK_D)


@triton.jit
def add_query_gradients(grad_q, q, grad_out, lse, delta, k_ptr, v_ptr, slope, first, last, place, left, right, start_k, length_k, scale, k_stride_t, v_stride_t, DIM: tl.constexpr,
                        BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr, MASKED: tl.constexpr, SOFTCAP: tl.constexpr, PRECISION: tl.constexpr):
    """Adds what the keys first … last - 1 contribute. A key past the end is all zeros, and adds none."""
    for begin in range(first, last, BLOCK_N):
        columns = begin + tl.arange(0, BLOCK_N)
        inside = columns < length_k
        k = packed_rows(k_ptr, start_k, columns, k_stride_t, inside, DIM, BLOCK_D)
        v = packed_rows(v_ptr, start_k, columns, v_stride_t, inside, DIM, BLOCK_D)
        product = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        p, growth = weighed(product, scale, slope, lse[:, None], place[:, None], columns[None, :], left, right, MASKED, SOFTCAP)
        grad_p = tl.dot(grad_out, tl.trans(v), input_precision=PRECISION)
        grad_score = p * (grad_p - delta[:, None]) * growth
        grad_q = tl.dot(grad_score.to(k.dtype), k, grad_q, input_precision=PRECISION)
    return grad_q


@triton.jit
def varlen_attention_backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, starts_q_ptr, starts_k_ptr, slopes_ptr, scale, window_left, window_right,  #
                                q_stride_t, q_stride_h, k_stride_t, k_stride_h, v_stride_t, v_stride_h, out_stride_t, out_stride_h, n_tokens, heads, group, DIM: tl.constexpr,
                                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr, SOFTCAP: tl.constexpr = 0.0, PRECISION: tl.constexpr = None):
    """The gradient of q, with its strides. Grid: (blocks of BLOCK_M queries of the longest sequence, batch * heads)."""
    batch = tl.program_id(1) // heads
    head = (tl.program_id(1) % heads).to(tl.int64)
    start_q = tl.load(starts_q_ptr + batch)
    length_q = tl.load(starts_q_ptr + batch + 1) - start_q
    first_row = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK_M
    if first_row < length_q:
        start_k = tl.load(starts_k_ptr + batch)
        length_k = tl.load(starts_k_ptr + batch + 1) - start_k
        if slopes_ptr is None:
            slope = None
        else:
            slope = tl.load(slopes_ptr + head)
        rows = first_row + tl.arange(0, BLOCK_M)
        row_inside = rows < length_q
        q = packed_rows(q_ptr + head * q_stride_h, start_q, rows, q_stride_t, row_inside, DIM, BLOCK_D)
        grad_out = packed_rows(grad_out_ptr + head * out_stride_h, start_q, rows, out_stride_t, row_inside, DIM, BLOCK_D)
        lse = load_lse(lse_ptr + head * n_tokens, start_q + rows, row_inside)
        delta = tl.load(delta_ptr + head * n_tokens + start_q + rows, mask=row_inside, other=0.0)
        k = k_ptr + (head // group) * k_stride_h
        v = v_ptr + (head // group) * v_stride_h
        grad_q = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)

        place = rows + (length_k - length_q)
        left, right, first, last, whole, end = seen_keys(first_row, length_q, length_k, window_left, window_right, BLOCK_M, BLOCK_N)
        grad_q = add_query_gradients(grad_q, q, grad_out, lse, delta, k, v, slope, first, tl.minimum(whole, last), place, left, right, start_k, length_k, scale, k_stride_t, v_stride_t, DIM, BLOCK_N,
                                     BLOCK_D, True, SOFTCAP, PRECISION)
        grad_q = add_query_gradients(grad_q, q, grad_out, lse, delta, k, v, slope, whole, end, place, left, right, start_k, length_k, scale, k_stride_t, v_stride_t, DIM, BLOCK_N, BLOCK_D, False,
                                     SOFTCAP, PRECISION)
        grad_q = add_query_gradients(grad_q, q, grad_out, lse, delta, k, v, slope, end, last, place, left, right, start_k, length_k, scale, k_stride_t, v_stride_t, DIM, BLOCK_N, BLOCK_D, True,
                                     SOFTCAP, PRECISION)
        store_rows(grad_q_ptr + head * q_stride_h, start_q, rows, q_stride_t, row_inside, grad_q * scale, DIM, BLOCK_D)

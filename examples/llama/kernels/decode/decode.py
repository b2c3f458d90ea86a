"""What a decoder of few sequences does between two tokens, in few launches: products of weights with one row or some, with the norm before and the
activation or the residual sum behind them, the rotation of queries and keys on their way into a paged cache, the largest logit, and the step to the next
place. Weights are [N, K] with contiguous rows, of a float type or fp8 with a scale for each row; x has contiguous rows of K elements."""
import triton
import triton.language as tl


@triton.jit
def weights(w_ptr, n, k, N, K: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows n of the matrix at columns k; zeros outside."""
    rows = w_ptr + n.to(tl.int64)[:, None] * K
    if K % BLOCK_K == 0:
        return tl.load(rows + k[None, :], mask=(n < N)[:, None], other=0.0)
    else:
        return tl.load(rows + k[None, :], mask=(n < N)[:, None] & (k < K)[None, :], other=0.0)


@triton.jit
def linear_row(x_ptr, gain_ptr, w_ptr, scale_ptr, residual_ptr, out_ptr, N, eps, K: tl.constexpr, SWIGLU: tl.constexpr, BLOCK_N: tl.constexpr,
               BLOCK_K: tl.constexpr):
    """One row: out = norm(x) @ w^T * scale + residual. Without gain there is no norm, without scale and residual they are left out. The norm's factor
    is that of the whole row, so it comes last. SWIGLU: w is [2 N, K], gates above; out = silu(gate) * up. Grid: blocks of N. out may be residual."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    up = tl.zeros((BLOCK_N, BLOCK_K), tl.float32)
    squares = tl.zeros((BLOCK_K, ), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + k, mask=k < K, other=0.0).to(tl.float32)
        if gain_ptr is not None:
            squares += x * x
            x *= tl.load(gain_ptr + k, mask=k < K, other=0.0).to(tl.float32)
        total += weights(w_ptr, n, k, N, K, BLOCK_K).to(tl.float32) * x[None, :]
        if SWIGLU:
            up += weights(w_ptr + tl.cast(N, tl.int64) * K, n, k, N, K, BLOCK_K).to(tl.float32) * x[None, :]
    inside = n < N
    factor = tl.full((BLOCK_N, ), 1.0, tl.float32)
    if gain_ptr is not None:
        factor *= 1 / tl.sqrt(tl.sum(squares, axis=0) / K + eps)
    result = tl.sum(total, axis=1) * factor
    if scale_ptr is not None:
        result *= tl.load(scale_ptr + n, mask=inside, other=0.0)
    if SWIGLU:
        other = tl.sum(up, axis=1) * factor
        if scale_ptr is not None:
            other *= tl.load(scale_ptr + N + n, mask=inside, other=0.0)
        result = result * tl.sigmoid(result) * other
    if residual_ptr is not None:
        result += tl.load(residual_ptr + n, mask=inside, other=0.0).to(tl.float32)
    tl.store(out_ptr + n, result.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def linear_rows(x_ptr, w_ptr, scale_ptr, out_ptr, M, N, x_stride, out_stride, K: tl.constexpr, SWIGLU: tl.constexpr, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, PRECISION: tl.constexpr = None):
    """M rows: out = x @ w^T * scale, with SWIGLU as in linear_row. Grid: (blocks of N, blocks of M)."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        x = tl.load(x_ptr + m.to(tl.int64)[:, None] * x_stride + k[None, :], mask=(m < M)[:, None] & (k < K)[None, :], other=0.0)
        total = tl.dot(x, tl.trans(weights(w_ptr, n, k, N, K, BLOCK_K).to(x.dtype)), total, input_precision=PRECISION)
        if SWIGLU:
            more = weights(w_ptr + tl.cast(N, tl.int64) * K, n, k, N, K, BLOCK_K).to(x.dtype)
            up = tl.dot(x, tl.trans(more), up, input_precision=PRECISION)
    if scale_ptr is not None:
        total *= tl.load(scale_ptr + n, mask=n < N, other=0.0)[None, :]
    if SWIGLU:
        if scale_ptr is not None:
            up *= tl.load(scale_ptr + N + n, mask=n < N, other=0.0)[None, :]
        total = total * tl.sigmoid(total) * up
    tl.store(out_ptr + m.to(tl.int64)[:, None] * out_stride + n[None, :], total.to(out_ptr.dtype.element_ty), mask=(m < M)[:, None] & (n < N)[None, :])


@triton.jit
def rope_into_cache(qkv_ptr, cos_ptr, sin_ptr, positions_ptr, slots_ptr, k_cache_ptr, v_cache_ptr, qkv_stride, heads, heads_k, HALF: tl.constexpr,
                    BLOCK: tl.constexpr):
    """Row t of qkv holds `heads` queries and `heads_k` keys and values of 2 * HALF elements each, a token at positions[t]. Queries are turned in place, keys
    turned into row slots[t] of the cache, values put there; a negative slot writes nothing. Grid: (rows, heads + 2 * heads_k); BLOCK >= HALF."""
    row = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    i = tl.arange(0, BLOCK)
    inside = i < HALF
    from_ptr = qkv_ptr + row * qkv_stride + head * (2 * HALF)
    first = tl.load(from_ptr + i, mask=inside).to(tl.float32)
    second = tl.load(from_ptr + HALF + i, mask=inside).to(tl.float32)
    turn = tl.load(positions_ptr + row).to(tl.int64) * HALF + i
    is_turned = inside & (head < heads + heads_k)
    cos = tl.load(cos_ptr + turn, mask=is_turned, other=1.0)
    sin = tl.load(sin_ptr + turn, mask=is_turned, other=0.0)
    a = first * cos - second * sin
    b = second * cos + first * sin
    is_query = inside & (head < heads)
    tl.store(from_ptr + i, a.to(qkv_ptr.dtype.element_ty), mask=is_query)
    tl.store(from_ptr + HALF + i, b.to(qkv_ptr.dtype.element_ty), mask=is_query)
    slot = tl.load(slots_ptr + row)
    is_key = inside & (head >= heads) & (head < heads + heads_k) & (slot >= 0)
    is_value = inside & (head >= heads + heads_k) & (slot >= 0)
    k_to = k_cache_ptr + (slot * heads_k + (head - heads)) * (2 * HALF) + i
    v_to = v_cache_ptr + (slot * heads_k + (head - heads - heads_k)) * (2 * HALF) + i
    tl.store(k_to, a.to(k_cache_ptr.dtype.element_ty), mask=is_key)
    tl.store(k_to + HALF, b.to(k_cache_ptr.dtype.element_ty), mask=is_key)
    tl.store(v_to, a.to(v_cache_ptr.dtype.element_ty), mask=is_value)
    tl.store(v_to + HALF, b.to(v_cache_ptr.dtype.element_ty), mask=is_value)


@triton.jit
def largest_of_parts(logits_ptr, values_ptr, places_ptr, n_columns, part, BLOCK: tl.constexpr):
    """The largest of columns p * part … of row r and its place, the first of equal ones, as element [r, p]. Grid: (rows, parts)."""
    row = tl.program_id(0).to(tl.int64)
    start = tl.program_id(1) * part
    end = tl.minimum(start + part, n_columns)
    best = tl.full((BLOCK, ), -float("inf"), tl.float32)
    place = tl.zeros((BLOCK, ), tl.int32) + start
    for first in range(start, end, BLOCK):
        columns = first + tl.arange(0, BLOCK)
        x = tl.load(logits_ptr + row * n_columns + columns, mask=columns < end, other=-float("inf")).to(tl.float32)
        better = x > best
        best = tl.where(better, x, best)
        place = tl.where(better, columns, place)
    winner = tl.max(best, axis=0)
    at = row * tl.num_programs(1) + tl.program_id(1)
    tl.store(values_ptr + at, winner)
    tl.store(places_ptr + at, tl.min(tl.where(best == winner, place, 2147483647), axis=0))


@triton.jit
def advance(values_ptr, places_ptr, drawn_ptr, tokens_ptr, positions_ptr, lengths_ptr, slots_ptr, seeds_ptr, counts_ptr, pages_ptr, history_ptr,
            pages_stride, parts, n_columns, seed_step, PAGE: tl.constexpr, BLOCK: tl.constexpr):
    """The token of each row, drawn[row] or the largest of its parts, becomes the next input: it goes into `history` [steps, rows] and `tokens`, and the row
    steps to its next place in the cache. A row with a negative slot takes part in nothing. Grid: (rows); BLOCK >= parts."""
    row = tl.program_id(0)
    slot = tl.load(slots_ptr + row)
    if drawn_ptr is not None:
        token = tl.load(drawn_ptr + row)
    else:
        part = tl.arange(0, BLOCK)
        value = tl.load(values_ptr + row * parts + part, mask=part < parts, other=-float("inf"))
        place = tl.load(places_ptr + row * parts + part, mask=part < parts, other=2147483647)
        token = tl.min(tl.where(value == tl.max(value, axis=0), place, 2147483647), axis=0).to(tl.int64)
    token = tl.minimum(token, n_columns - 1)  # whatever the logits are
    count = tl.load(counts_ptr + row)
    if slot >= 0:
        tl.store(history_ptr + count * tl.num_programs(0) + row, token)
        tl.store(counts_ptr + row, count + 1)
        tl.store(tokens_ptr + row, token)
        position = tl.load(positions_ptr + row) + 1
        tl.store(positions_ptr + row, position)
        tl.store(lengths_ptr + row, position + 1)
        page = tl.load(pages_ptr + row * pages_stride + position // PAGE).to(tl.int64)
        tl.store(slots_ptr + row, page * PAGE + position % PAGE)
        tl.store(seeds_ptr + row, tl.load(seeds_ptr + row) + seed_step)

"""Attention without the matrix of scores in memory, forward and backward.

q and out are [batch, heads, length_q, DIM], k and v are [batch, heads / group, length_k, DIM]: each head of k and v serves
`group` heads of q. Any strides but 1 for the last dimension; DIM is any number from 16 on, and tiles have the power of two above, with zeros behind; the forward
pass takes heads of 160 and 192 columns as two tiles, of 128 and of the rest. With CAUSAL, query i sees the keys up to i + length_k - length_q; a query that
sees no key gives 0. Exponentials are to base 2: `lse` holds log2 of the sum of 2^(score * scale * log2(e)) for each query.
"""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
MANY = tl.constexpr(2**31 - 1)


@triton.jit
def tile_columns(COLUMNS: tl.constexpr):
    """Of the tile that holds so many: a power of two, and as many as a product takes at least."""
    return max(triton.next_power_of_2(COLUMNS), 16)


@triton.jit
def rows_at(base, indices, row_stride, DIM: tl.constexpr):
    """Pointers to whole rows."""
    return base + indices.to(tl.int64)[:, None] * row_stride + tl.arange(0, tile_columns(DIM))[None, :]


@triton.jit
def elements_of(rows_inside, DIM: tl.constexpr):
    """The elements of rows that are there."""
    inside = rows_inside[:, None]
    if DIM == tile_columns(DIM):
        return inside
    else:
        return inside & (tl.arange(0, tile_columns(DIM)) < DIM)[None, :]


@triton.jit
def block_at(base, start, row_stride, BLOCK: tl.constexpr, DIM: tl.constexpr):
    """Pointers to `BLOCK` whole rows from `start` on. One number moves from block to block; the rest stays as it is."""
    return rows_at(base + tl.cast(start, tl.int64) * row_stride, tl.arange(0, BLOCK), row_stride, DIM)


@triton.jit
def block_of_queries(CAUSAL: tl.constexpr):
    """The last queries see the most keys: they come first, so that no long program is left at the end."""
    if CAUSAL:
        return tl.num_programs(0) - 1 - tl.program_id(0)
    else:
        return tl.program_id(0)


@triton.jit
def seen_keys(first_row, length_q, length_k, BLOCK_M: tl.constexpr, CAUSAL: tl.constexpr):
    """How many keys all queries of a block see, and how many any of them."""
    if CAUSAL:
        first = first_row + (length_k - length_q)
        return tl.minimum(length_k, tl.maximum(first + 1, 0)), tl.minimum(length_k, tl.maximum(first + BLOCK_M, 0))
    else:
        return length_k, length_k


@triton.jit
def visible(rows, columns, length_q, length_k, CAUSAL: tl.constexpr):
    """Which key each query sees."""
    mask = (rows[:, None] < length_q) & (columns[None, :] < length_k)
    if CAUSAL:
        mask = mask & (columns[None, :] <= rows[:, None] + (length_k - length_q))
    return mask


@triton.jit
def described(base, stride_b, stride_h, stride_s, length, BLOCK: tl.constexpr, DIM: tl.constexpr, COLUMNS: tl.constexpr):
    """All heads, in blocks of rows. Nobody counts batches and heads: they are inside."""
    return tl.make_tensor_descriptor(base, [MANY, MANY, length, DIM], [stride_b, stride_h, stride_s, 1], [1, 1, BLOCK, tile_columns(COLUMNS)])


@triton.jit
def described_scores(scores_ptr, scores_stride, length_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Gradients of scores, with a row for each key."""
    return tl.make_tensor_descriptor(scores_ptr, [MANY, length_k, scores_stride], [tl.cast(length_k, tl.int64) * scores_stride, scores_stride, 1], [1, BLOCK_N, BLOCK_M])


@triton.jit
def head_at(ptr, batch, head, stride_b, stride_h, stride_s, length, BLOCK: tl.constexpr, DIM: tl.constexpr, COLUMNS: tl.constexpr, BY_DESCRIPTOR: tl.constexpr):
    """What load_block reads: a descriptor of all heads, in blocks of so many columns, or the address of one head."""
    if BY_DESCRIPTOR:
        return described(ptr, stride_b, stride_h, stride_s, length, BLOCK, DIM, COLUMNS)
    else:
        return ptr + batch * stride_b + head * stride_h


@triton.jit
def load_block(source, batch, head, start, row_stride, length, BLOCK: tl.constexpr, COLUMNS: tl.constexpr, MASKED: tl.constexpr,
               BY_DESCRIPTOR: tl.constexpr, FROM: tl.constexpr = 0):
    """Rows of one head, COLUMNS of them from FROM on: `source` is a descriptor of all heads, or the pointer to this one. Zeros past the end."""
    if BY_DESCRIPTOR:
        return source.load([batch, head, start, FROM]).reshape(BLOCK, tile_columns(COLUMNS))
    elif MASKED or COLUMNS != tile_columns(COLUMNS):
        inside = elements_of(start + tl.arange(0, BLOCK) < length, COLUMNS)
        return tl.load(block_at(source + FROM, start, row_stride, BLOCK, COLUMNS), mask=inside, other=0.0)
    else:
        return tl.load(block_at(source + FROM, start, row_stride, BLOCK, COLUMNS))


@triton.jit
def first_columns(DIM: tl.constexpr):
    """How many columns of a head are one tile: all, or 128 where the rest is a tile of 32 or 64. (With a rest of 8 columns it took 3.4 ms on an H200 where heads of 256 take 0.9.)"""
    return 128 if DIM == 160 or DIM == 192 else DIM


@triton.jit
def attend(total, total_rest, weight, largest, q, q_rest, k, k_rest, v, v_rest, batch, head, first, last, rows, length_q, length_k, scale2, k_stride, v_stride,
           DIM: tl.constexpr, BLOCK_N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr, PRECISION: tl.constexpr,
           BY_DESCRIPTOR: tl.constexpr):
    """Adds the keys first … last - 1: `largest` score so far, sum of `weight`s and weighted `total` relative to it. What is called rest are the last columns of long heads."""
    FIRST: tl.constexpr = first_columns(DIM)
    REST: tl.constexpr = DIM - FIRST
    for start in range(first, last, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        keys = load_block(k, batch, head, start, k_stride, length_k, BLOCK_N, FIRST, MASKED, BY_DESCRIPTOR)
        score = tl.dot(q, tl.trans(keys), input_precision=PRECISION)
        if REST:
            keys = load_block(k_rest, batch, head, start, k_stride, length_k, BLOCK_N, REST, MASKED, BY_DESCRIPTOR, FIRST)
            score = tl.dot(q_rest, tl.trans(keys), score, input_precision=PRECISION)
        if MASKED:
            score = tl.where(visible(rows, columns, length_q, length_k, CAUSAL), score * scale2, -float("inf"))
            now = tl.maximum(largest, tl.max(score, axis=1))
        else:
            now = tl.maximum(largest, tl.max(score, axis=1) * scale2)  # scale2 is not negative: one product a row
            score *= scale2
        reference = tl.where(now == -float("inf"), 0.0, now)  # a row that has seen no key yet
        p = tl.exp2(score - reference[:, None])
        shrink = tl.exp2(largest - reference)
        weight = weight * shrink + tl.sum(p, axis=1)
        values = load_block(v, batch, head, start, v_stride, length_k, BLOCK_N, FIRST, MASKED, BY_DESCRIPTOR)
        p = p.to(values.dtype)
        total = tl.dot(p, values, total * shrink[:, None], input_precision=PRECISION)
        if REST:
            values = load_block(v_rest, batch, head, start, v_stride, length_k, BLOCK_N, REST, MASKED, BY_DESCRIPTOR, FIRST)
            total_rest = tl.dot(p, values, total_rest * shrink[:, None], input_precision=PRECISION)
        largest = now
    return total, total_rest, weight, largest


@triton.jit
def flash_attention_forward(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, scale,  #
                            q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s,  #
                            v_stride_b, v_stride_h, v_stride_s, out_stride_b, out_stride_h, out_stride_s,  #
                            heads, group, length_q, length_k,  #
                            DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
                            PRECISION: tl.constexpr = None, BY_DESCRIPTOR: tl.constexpr = False):
    """Grid: (blocks of BLOCK_M queries, batch * heads). BY_DESCRIPTOR: keys and values come by TMA, where the GPU has it;
    their rows start at multiples of 16 bytes then."""
    FIRST: tl.constexpr = first_columns(DIM)
    REST: tl.constexpr = DIM - FIRST
    first_row = block_of_queries(CAUSAL) * BLOCK_M
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    q_ptr += batch * q_stride_b + head * q_stride_h
    k = head_at(k_ptr, batch, head // group, k_stride_b, k_stride_h, k_stride_s, length_k, BLOCK_N, DIM, FIRST, BY_DESCRIPTOR)
    v = head_at(v_ptr, batch, head // group, v_stride_b, v_stride_h, v_stride_s, length_k, BLOCK_N, DIM, FIRST, BY_DESCRIPTOR)
    batch_k = batch.to(tl.int32)
    head_k = (head // group).to(tl.int32)
    out_ptr += batch * out_stride_b + head * out_stride_h
    lse_ptr += tl.program_id(1).to(tl.int64) * length_q

    rows = first_row + tl.arange(0, BLOCK_M)
    row_inside = rows < length_q
    q = tl.load(rows_at(q_ptr, rows, q_stride_s, FIRST), mask=elements_of(row_inside, FIRST), other=0.0)
    total = tl.zeros((BLOCK_M, tile_columns(FIRST)), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    q = tl.where(scale < 0, -q, q)
    scale2 = tl.abs(scale) * LOG2_E
    q_rest, k_rest, v_rest, total_rest = None, None, None, None
    if REST:
        q_rest = tl.load(rows_at(q_ptr + FIRST, rows, q_stride_s, REST), mask=elements_of(row_inside, REST), other=0.0)
        q_rest = tl.where(scale < 0, -q_rest, q_rest)
        k_rest = head_at(k_ptr, batch, head // group, k_stride_b, k_stride_h, k_stride_s, length_k, BLOCK_N, DIM, REST, BY_DESCRIPTOR)
        v_rest = head_at(v_ptr, batch, head // group, v_stride_b, v_stride_h, v_stride_s, length_k, BLOCK_N, DIM, REST, BY_DESCRIPTOR)
        total_rest = tl.zeros((BLOCK_M, tile_columns(REST)), tl.float32)

    # Blocks of keys that every row sees need no mask; those on the diagonal and at the end do.
    full, last = seen_keys(first_row, length_q, length_k, BLOCK_M, CAUSAL)
    full = full // BLOCK_N * BLOCK_N
    total, total_rest, weight, largest = attend(total, total_rest, weight, largest, q, q_rest, k, k_rest, v, v_rest, batch_k, head_k, 0, full, rows, length_q, length_k, scale2,
                                                k_stride_s, v_stride_s, DIM, BLOCK_N, False, CAUSAL, PRECISION, BY_DESCRIPTOR)
    total, total_rest, weight, largest = attend(total, total_rest, weight, largest, q, q_rest, k, k_rest, v, v_rest, batch_k, head_k, full, last, rows, length_q, length_k, scale2,
                                                k_stride_s, v_stride_s, DIM, BLOCK_N, True, CAUSAL, PRECISION, BY_DESCRIPTOR)

    sees_none = weight == 0.0
    divisor = tl.where(sees_none, 1.0, weight)[:, None]
    lse = tl.where(sees_none, float("inf"), largest + tl.log2(weight))  # +inf makes its weights 0 in the backward pass
    tl.store(lse_ptr + rows, lse, mask=row_inside)
    tl.store(rows_at(out_ptr, rows, out_stride_s, FIRST), (total / divisor).to(out_ptr.dtype.element_ty), mask=elements_of(row_inside, FIRST))
    if REST:
        tl.store(rows_at(out_ptr + FIRST, rows, out_stride_s, REST), (total_rest / divisor).to(out_ptr.dtype.element_ty), mask=elements_of(row_inside, REST))


@triton.jit
def flash_attention_delta(out_ptr, grad_out_ptr, delta_ptr, out_stride_b, out_stride_h, out_stride_s, heads, length_q,
                          DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    """delta = sum(out * grad_out) for each query: what the backward pass of the softmax subtracts."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    start = batch * out_stride_b + head * out_stride_h
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = rows < length_q
    out = tl.load(rows_at(out_ptr + start, rows, out_stride_s, DIM), mask=elements_of(inside, DIM), other=0.0).to(tl.float32)
    grad_out = tl.load(rows_at(grad_out_ptr + start, rows, out_stride_s, DIM), mask=elements_of(inside, DIM), other=0.0).to(tl.float32)
    tl.store(delta_ptr + tl.program_id(1).to(tl.int64) * length_q + rows, tl.sum(out * grad_out, axis=1), mask=inside)


@triton.jit
def add_key_gradients(grad_k, grad_v, k, v, q_source, grad_out_source, scores, batch, head, number, first_column, lse_ptr, delta_ptr, first, last, columns, length_q,
                      length_k, scale2, q_stride, out_stride, DIM: tl.constexpr, BLOCK_M: tl.constexpr, MASKED: tl.constexpr,
                      PRECISION: tl.constexpr, BY_DESCRIPTOR: tl.constexpr):
    """Adds what the queries first … last - 1 of one head contribute to the gradients of a block of keys and values. Scores stand
    transposed here, with a row for each key: then they are operands as they are. A query past the end is all zeros, and adds none.
    `scores`, where they are given, get the gradients of the scores."""
    for start in range(first, last, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        inside = rows < length_q
        q = load_block(q_source, batch, head, start, q_stride, length_q, BLOCK_M, DIM, True, BY_DESCRIPTOR)
        lse = tl.load(lse_ptr + rows, mask=inside, other=0.0)
        score = tl.dot(k, tl.trans(q), input_precision=PRECISION)
        grad_out = load_block(grad_out_source, batch, head, start, out_stride, length_q, BLOCK_M, DIM, True, BY_DESCRIPTOR)
        p = tl.exp2(score * scale2 - lse[None, :])
        if MASKED:
            p = tl.where(columns[:, None] <= rows[None, :] + (length_k - length_q), p, 0.0)
        grad_v = tl.dot(p.to(grad_out.dtype), grad_out, grad_v, input_precision=PRECISION)
        delta = tl.load(delta_ptr + rows, mask=inside, other=0.0)
        grad_p = tl.dot(v, tl.trans(grad_out), input_precision=PRECISION)
        grad_score = (p * (grad_p - delta[None, :])).to(q.dtype)
        grad_k = tl.dot(grad_score, q, grad_k, input_precision=PRECISION)
        if scores is not None:  # behind the last product, which goes on meanwhile
            scores.store([number, first_column, start], grad_score.reshape(1, columns.shape[0], BLOCK_M))
    return grad_k, grad_v


@triton.jit(do_not_specialize=["first"])
def flash_attention_backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, scale,  #
                                q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s,  #
                                v_stride_b, v_stride_h, v_stride_s, out_stride_b, out_stride_h, out_stride_s,  #
                                heads, group, length_q, length_k,  #
                                DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
                                PRECISION: tl.constexpr = None, BY_DESCRIPTOR: tl.constexpr = False, scores_ptr=None, scores_stride=0, first=0):
    """Gradients of k and v, which have the strides of k and v. Grid: (blocks of BLOCK_N keys, heads of k from number `first` on). `scores`, of the type of q, get
    the gradients of the scores of these heads, [heads of q, length_k, scores_stride], for flash_attention_backward_q_of_scores: no more scores are computed there."""
    heads_k = heads // group
    batch = ((first + tl.program_id(1)) // heads_k).to(tl.int64)
    head_k = ((first + tl.program_id(1)) % heads_k).to(tl.int64)
    first_column = tl.program_id(0) * BLOCK_N
    columns = first_column + tl.arange(0, BLOCK_N)
    column_inside = elements_of(columns < length_k, DIM)
    k_start = batch * k_stride_b + head_k * k_stride_h
    v_start = batch * v_stride_b + head_k * v_stride_h
    k = tl.load(rows_at(k_ptr + k_start, columns, k_stride_s, DIM), mask=column_inside, other=0.0)
    v = tl.load(rows_at(v_ptr + v_start, columns, v_stride_s, DIM), mask=column_inside, other=0.0)
    grad_k = tl.zeros((BLOCK_N, tile_columns(DIM)), tl.float32)
    grad_v = tl.zeros((BLOCK_N, tile_columns(DIM)), tl.float32)

    # Queries before the first key of the block see none of it, those from `full` on all of it. Stored scores are in one loop, since TMA keeps no order between
    # two, and begin with a block of flash_attention_backward_q_of_scores.
    APART: tl.constexpr = CAUSAL and scores_ptr is None
    ROWS: tl.constexpr = BLOCK_M if scores_ptr is None else max(BLOCK_M, BLOCK_N)
    first_row = 0
    full = 0
    if CAUSAL:
        first_row = tl.maximum(first_column - (length_k - length_q), 0) // ROWS * ROWS
        full = tl.maximum(first_column + BLOCK_N - 1 - (length_k - length_q), 0)
        full = tl.minimum((full + BLOCK_M - 1) // BLOCK_M * BLOCK_M, (length_q + BLOCK_M - 1) // BLOCK_M * BLOCK_M)
    scale2 = scale * LOG2_E
    scores = None
    if scores_ptr is not None:
        scores = described_scores(scores_ptr, scores_stride, length_k, BLOCK_M, BLOCK_N)
    for member in range(0, group):
        head = head_k * group + member
        per_query = (batch * heads + head) * length_q
        if BY_DESCRIPTOR:
            q = described(q_ptr, q_stride_b, q_stride_h, q_stride_s, length_q, BLOCK_M, DIM, DIM)
            grad_out = described(grad_out_ptr, out_stride_b, out_stride_h, out_stride_s, length_q, BLOCK_M, DIM, DIM)
        else:
            q = q_ptr + batch * q_stride_b + head * q_stride_h
            grad_out = grad_out_ptr + batch * out_stride_b + head * out_stride_h
        batch_q = batch.to(tl.int32)
        head_q = head.to(tl.int32)
        number = tl.program_id(1) * group + member
        if APART:
            grad_k, grad_v = add_key_gradients(grad_k, grad_v, k, v, q, grad_out, scores, batch_q, head_q, number, first_column, lse_ptr + per_query,
                                               delta_ptr + per_query, first_row, full, columns, length_q, length_k, scale2, q_stride_s, out_stride_s, DIM,
                                               BLOCK_M, True, PRECISION, BY_DESCRIPTOR)
        grad_k, grad_v = add_key_gradients(grad_k, grad_v, k, v, q, grad_out, scores, batch_q, head_q, number, first_column, lse_ptr + per_query,
                                           delta_ptr + per_query, full if APART else first_row, length_q, columns, length_q, length_k, scale2, q_stride_s,
                                           out_stride_s, DIM, BLOCK_M, CAUSAL and not APART, PRECISION, BY_DESCRIPTOR)

    grad_k = grad_k * scale
    tl.store(rows_at(grad_k_ptr + k_start, columns, k_stride_s, DIM), grad_k.to(grad_k_ptr.dtype.element_ty), mask=column_inside)
    tl.store(rows_at(grad_v_ptr + v_start, columns, v_stride_s, DIM), grad_v.to(grad_v_ptr.dtype.element_ty), mask=column_inside)


@triton.jit
def add_query_gradients(grad_q, q, grad_out, lse, delta, k_source, v_source, batch, head, first, last, rows, length_q, length_k, scale2,
                        k_stride, v_stride, DIM: tl.constexpr, BLOCK_N: tl.constexpr, MASKED: tl.constexpr, PRECISION: tl.constexpr,
                        BY_DESCRIPTOR: tl.constexpr):
    """Adds what the keys first … last - 1 contribute to the gradients of a block of queries. A key past the end is all zeros, and adds
    none."""
    for start in range(first, last, BLOCK_N):
        columns = start + tl.arange(0, BLOCK_N)
        k = load_block(k_source, batch, head, start, k_stride, length_k, BLOCK_N, DIM, True, BY_DESCRIPTOR)
        v = load_block(v_source, batch, head, start, v_stride, length_k, BLOCK_N, DIM, True, BY_DESCRIPTOR)
        score = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        p = tl.exp2(score * scale2 - lse[:, None])
        if MASKED:
            p = tl.where(columns[None, :] <= rows[:, None] + (length_k - length_q), p, 0.0)
        grad_p = tl.dot(grad_out, tl.trans(v), input_precision=PRECISION)
        grad_score = p * (grad_p - delta[:, None])
        grad_q = tl.dot(grad_score.to(k.dtype), k, grad_q, input_precision=PRECISION)
    return grad_q


@triton.jit
def flash_attention_backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, scale,  #
                               q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s,  #
                               v_stride_b, v_stride_h, v_stride_s, out_stride_b, out_stride_h, out_stride_s,  #
                               heads, group, length_q, length_k,  #
                               DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
                               PRECISION: tl.constexpr = None, BY_DESCRIPTOR: tl.constexpr = False):
    """Gradient of q, which has the strides of q. Grid: (blocks of BLOCK_M queries, batch * heads)."""
    first_row = block_of_queries(CAUSAL) * BLOCK_M
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    q_start = batch * q_stride_b + head * q_stride_h
    batch_k = batch.to(tl.int32)
    head_k = (head // group).to(tl.int32)
    k = head_at(k_ptr, batch, head // group, k_stride_b, k_stride_h, k_stride_s, length_k, BLOCK_N, DIM, DIM, BY_DESCRIPTOR)
    v = head_at(v_ptr, batch, head // group, v_stride_b, v_stride_h, v_stride_s, length_k, BLOCK_N, DIM, DIM, BY_DESCRIPTOR)
    grad_out_ptr += batch * out_stride_b + head * out_stride_h
    per_query = tl.program_id(1).to(tl.int64) * length_q

    rows = first_row + tl.arange(0, BLOCK_M)
    inside = rows < length_q
    q = tl.load(rows_at(q_ptr + q_start, rows, q_stride_s, DIM), mask=elements_of(inside, DIM), other=0.0)
    grad_out = tl.load(rows_at(grad_out_ptr, rows, out_stride_s, DIM), mask=elements_of(inside, DIM), other=0.0)
    lse = tl.load(lse_ptr + per_query + rows, mask=inside, other=float("inf"))
    delta = tl.load(delta_ptr + per_query + rows, mask=inside, other=0.0)
    grad_q = tl.zeros((BLOCK_M, tile_columns(DIM)), tl.float32)

    # Blocks of keys up to `full` are seen by every row.
    full, last = seen_keys(first_row, length_q, length_k, BLOCK_M, CAUSAL)
    scale2 = scale * LOG2_E
    if CAUSAL:
        full = full // BLOCK_N * BLOCK_N
    grad_q = add_query_gradients(grad_q, q, grad_out, lse, delta, k, v, batch_k, head_k, 0, full, rows, length_q, length_k, scale2, k_stride_s,
                                 v_stride_s, DIM, BLOCK_N, False, PRECISION, BY_DESCRIPTOR)
    if CAUSAL:
        grad_q = add_query_gradients(grad_q, q, grad_out, lse, delta, k, v, batch_k, head_k, full, last, rows, length_q, length_k, scale2,
                                     k_stride_s, v_stride_s, DIM, BLOCK_N, True, PRECISION, BY_DESCRIPTOR)

    grad_q = grad_q * scale
    tl.store(rows_at(grad_q_ptr + q_start, rows, q_stride_s, DIM), grad_q.to(grad_q_ptr.dtype.element_ty), mask=elements_of(inside, DIM))


@triton.jit(do_not_specialize=["first"])
def flash_attention_backward_q_of_scores(scores_ptr, k_ptr, grad_q_ptr, scale, q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s, heads, group, length_q, length_k,
                                         scores_stride, first, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, PRECISION: tl.constexpr = None):
    """Gradient of q, which has the strides of q, from the gradients of scores that flash_attention_backward_kv has stored: one product. BLOCK_M is at most the larger block of that kernel, BLOCK_N a part of its own.
    Grid: (blocks of BLOCK_M queries, heads of q from number `first` on)."""
    first_row = block_of_queries(CAUSAL) * BLOCK_M
    batch = (first + tl.program_id(1)) // heads
    head = (first + tl.program_id(1)) % heads
    scores = described_scores(scores_ptr, scores_stride, length_k, BLOCK_M, BLOCK_N)
    k = described(k_ptr, k_stride_b, k_stride_h, k_stride_s, length_k, BLOCK_N, DIM, DIM)
    _, last = seen_keys(first_row, length_q, length_k, BLOCK_M, CAUSAL)
    grad_q = tl.zeros((BLOCK_M, tile_columns(DIM)), tl.float32)
    for start in range(0, last, BLOCK_N):
        block = scores.load([tl.program_id(1), start, first_row]).reshape(BLOCK_N, BLOCK_M)
        keys = load_block(k, batch, head // group, start, k_stride_s, length_k, BLOCK_N, DIM, True, True)
        grad_q = tl.dot(tl.trans(block), keys, grad_q, input_precision=PRECISION)
    rows = first_row + tl.arange(0, BLOCK_M)
    grad_q_ptr += batch.to(tl.int64) * q_stride_b + head.to(tl.int64) * q_stride_h
    tl.store(rows_at(grad_q_ptr, rows, q_stride_s, DIM), (grad_q * scale).to(grad_q_ptr.dtype.element_ty), mask=elements_of(rows < length_q, DIM))

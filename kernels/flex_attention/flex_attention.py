"""Attention by rule, forward and backward: out = softmax(SCORE_MOD(q k^T * scale), where MASK_MOD holds) v on strided [batch, heads, length, dim]. The
two rules are jit functions of the user, or of those below:

    SCORE_MOD(score, b, h, q, k, data)      the score that counts, from one in fp32
    MASK_MOD(b, h, q, k, data)              whether query q of head h sees key k

b and h are numbers, q and k tiles of places that broadcast against each other, always inside of the sequences; data is the tuple that the launch
was given, of pointers and numbers. The backward pass takes a third one, SCORE_GRADIENT(gradient, score, b, h, q, k, data): the gradient of `score` from that of
what SCORE_MOD made of it. None is the rule that changes nothing.

A block mask says which blocks of keys a block of queries sees in part and which as a whole: all others cost nothing, and MASK_MOD runs on those
in part alone."""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LN_2 = tl.constexpr(0.6931471805599453)


# Rules for masks.


@triton.jit
def causal(b, h, q, k, data):
    """The keys up to the query's place."""
    return k <= q


@triton.jit
def causal_end(b, h, q, k, data):
    """The keys up to the query's place, where the last query stands at the last key: data = (length of k - length of q, )."""
    return k <= q + data[0]


@triton.jit
def window(b, h, q, k, data):
    """The last keys up to the query's place: data = (how many, )."""
    return (k <= q) & (q - k < data[0])


@triton.jit
def band(b, h, q, k, data):
    """data = (keys before, keys behind, offset): the query stands at place q + offset, and sees so many on each side; a negative number is no bound."""
    place = q + data[2]
    return ((data[0] < 0) | (place - k <= data[0])) & ((data[1] < 0) | (k - place <= data[1]))


@triton.jit
def prefix(b, h, q, k, data):
    """Causal, but the beginning is seen by all: data = (its length for each b, int32)."""
    return (k <= q) | (k < tl.load(data[0] + b))


@triton.jit
def document(b, h, q, k, data):
    """The keys of the same document: data = (numbers of documents, int32 [batch, length], and that length)."""
    row = data[0] + tl.cast(b, tl.int64) * data[1]
    return tl.load(row + q) == tl.load(row + k)


@triton.jit
def causal_document(b, h, q, k, data):
    """Causal inside of documents; data as `document` has it."""
    return causal(b, h, q, k, data) & document(b, h, q, k, data)


@triton.jit
def dilated(b, h, q, k, data):
    """Causal, every so many keys: data = (step, how many keys)."""
    return (k <= q) & ((q - k) % data[0] == 0) & (q - k < data[0] * data[1])


@triton.jit
def strided_blocks(b, h, q, k, data):
    """The sparse transformer's fixed pattern, causal: keys of the query's own block, and the last of each block: data = (block, how many of each)."""
    own = q // data[0] == k // data[0]
    return (k <= q) & (own | (k % data[0] >= data[0] - data[1]))


@triton.jit
def neighbourhood(b, h, q, k, data):
    """Places of a picture, row by row: those whose row and column are near; near an edge the same number, moved inside: data = (height, width, size)."""
    reach = data[2] // 2
    center_y = tl.minimum(tl.maximum(q // data[1], reach), data[0] - 1 - reach)
    center_x = tl.minimum(tl.maximum(q % data[1], reach), data[1] - 1 - reach)
    return (tl.abs(k // data[1] - center_y) <= reach) & (tl.abs(k % data[1] - center_x) <= reach)


@triton.jit
def given(b, h, q, k, data):
    """As an array says: data = (bool or int8 for each pair, its four strides)."""
    at = tl.cast(b, tl.int64) * data[1] + tl.cast(h, tl.int64) * data[2] + q.to(tl.int64) * data[3] + k.to(tl.int64) * data[4]
    return tl.load(data[0] + at) != 0


@triton.jit
def tree(b, h, q, k, data):
    """Tokens of a tree behind a sequence, as speculative decoding proposes them: data = (bits int64 [batch, queries], queries, keys before the tree). A query sees all keys before,
    and the tokens of the tree whose bits are set in its word."""
    bits = tl.load(data[0] + b * data[1] + q)
    token = tl.maximum(k - data[2], 0)
    return (k < data[2]) | ((token < 64) & (((bits >> token.to(tl.int64)) & 1) != 0))


# Rules for scores, with their gradients where they are not 1.


@triton.jit
def alibi(score, b, h, q, k, data):
    """A head's slope takes away with the distance: data = (slopes fp32 [heads], offset of the query's place)."""
    return score - tl.load(data[0] + h) * tl.abs(q + data[1] - k).to(tl.float32)


@triton.jit
def softcap(score, b, h, q, k, data):
    """Between -c and c: data = (c, )."""
    return data[0] * (2 * tl.sigmoid(score * (2 / data[0])) - 1)


@triton.jit
def softcap_gradient(gradient, score, b, h, q, k, data):
    tanh = 2 * tl.sigmoid(score * (2 / data[0])) - 1
    return gradient * (1 - tanh * tanh)


@triton.jit
def softcap_alibi(score, b, h, q, k, data):
    """softcap, then alibi: data = (slopes, offset, c)."""
    return alibi(softcap(score, b, h, q, k, (data[2], )), b, h, q, k, data)


@triton.jit
def softcap_alibi_gradient(gradient, score, b, h, q, k, data):
    return softcap_gradient(gradient, score, b, h, q, k, (data[2], ))


@triton.jit
def bias(score, b, h, q, k, data):
    """An element for each pair is added: data = (bias, its four strides)."""
    at = tl.cast(b, tl.int64) * data[1] + tl.cast(h, tl.int64) * data[2] + q.to(tl.int64) * data[3] + k.to(tl.int64) * data[4]
    return score + tl.load(data[0] + at).to(tl.float32)


@triton.jit
def relative(score, b, h, q, k, data):
    """An element for each distance is added, as in T5: data = (table fp32 [heads, 2 * reach + 1], reach); farther ones count as the farthest."""
    distance = tl.minimum(tl.maximum(k - q, -data[1]), data[1]) + data[1]
    return score + tl.load(data[0] + h * (2 * data[1] + 1) + distance)


@triton.jit
def relative_2d(score, b, h, q, k, data):
    """Relative position in pictures, as in segment-anything: data = (by_row fp32 [batch, heads, queries, height], by_column [batch, heads, queries, width], heads,
    queries, height, width)."""
    query = (tl.cast(b, tl.int64) * data[2] + h) * data[3] + q
    return score + tl.load(data[0] + query * data[4] + k // data[5]) + tl.load(data[1] + query * data[5] + k % data[5])


# Block masks.


@triton.jit
def sees(b, h, q, k, mask_data, MASK_MOD: tl.constexpr):
    """Whether a rule holds, also one that gives numbers."""
    return tl.cast(MASK_MOD(b, h, q, k, mask_data), tl.int1)


@triton.jit
def flex_block_kinds(kinds_ptr, mask_data, heads, length_q, length_k, blocks_k, MASK_MOD: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr):
    """kinds, uint8 [batch, heads, blocks of queries, blocks of keys]: 0 where no query sees a key, 2 where all see all of a whole block, else 1.
    Grid: (blocks of keys, blocks of queries, batch * heads)."""
    q = (tl.program_id(1) * BLOCK_Q + tl.arange(0, BLOCK_Q))[:, None]
    k = (tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K))[None, :]
    batch = tl.program_id(2) // heads
    seen = sees(batch, tl.program_id(2) % heads, tl.minimum(q, length_q - 1), tl.minimum(k, length_k - 1), mask_data, MASK_MOD)
    inside = (q < length_q) & (k < length_k)
    seen = tl.where(inside, seen, False).to(tl.int32)
    # Rows behind the last query count as ones that see: their results are not stored.
    sees_all = tl.where(inside, seen, ((q >= length_q) & (k < length_k)).to(tl.int32))
    kind = tl.max(tl.max(seen, axis=1), axis=0) + tl.min(tl.min(sees_all, axis=1), axis=0)
    place = (tl.program_id(2).to(tl.int64) * tl.num_programs(1) + tl.program_id(1)) * blocks_k + tl.program_id(0)
    tl.store(kinds_ptr + place, kind.to(tl.uint8))


@triton.jit
def flex_block_lists(kinds_ptr, counts_ptr, blocks_ptr, n_columns, stride_head, stride_row, stride_column, BLOCK: tl.constexpr):
    """The blocks of each row of kinds: first those seen in part, then the whole ones. counts, int32 [heads, rows, 2]: how many of the first, and of both;
    blocks, int32 [heads, rows, columns]. Grid: (rows, batch * heads)."""
    row = tl.program_id(1).to(tl.int64) * tl.num_programs(0) + tl.program_id(0)
    kinds_ptr += tl.program_id(1).to(tl.int64) * stride_head + tl.program_id(0) * stride_row
    partial = 0
    for first in range(0, n_columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        kind = tl.load(kinds_ptr + column * stride_column, mask=column < n_columns, other=0)
        partial += tl.sum((kind == 1).to(tl.int32), axis=0)
    before = 0
    whole = partial
    for first in range(0, n_columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        kind = tl.load(kinds_ptr + column * stride_column, mask=column < n_columns, other=0)
        is_partial = (kind == 1).to(tl.int32)
        is_whole = (kind == 2).to(tl.int32)
        place = tl.where(kind == 1, before + tl.cumsum(is_partial, axis=0), whole + tl.cumsum(is_whole, axis=0)) - 1
        tl.store(blocks_ptr + row * n_columns + place, column, mask=kind > 0)
        before += tl.sum(is_partial, axis=0)
        whole += tl.sum(is_whole, axis=0)
    tl.store(counts_ptr + row * 2, partial)
    tl.store(counts_ptr + row * 2 + 1, whole)


# Attention.


@triton.jit
def load_tile(base, rows, stride, length, DIM: tl.constexpr, BLOCK_D: tl.constexpr, MASKED: tl.constexpr):
    """Rows of DIM elements in tiles of BLOCK_D; zeros outside."""
    d = tl.arange(0, BLOCK_D)
    places = base + rows.to(tl.int64)[:, None] * stride + d[None, :]
    if MASKED and DIM == BLOCK_D:
        return tl.load(places, mask=(rows < length)[:, None], other=0.0)
    elif MASKED:
        return tl.load(places, mask=(rows < length)[:, None] & (d < DIM)[None, :], other=0.0)
    elif DIM == BLOCK_D:
        return tl.load(places)
    else:
        return tl.load(places, mask=(d < DIM)[None, :], other=0.0)


@triton.jit
def store_tile(base, rows, stride, length, value, DIM: tl.constexpr, BLOCK_D: tl.constexpr):
    d = tl.arange(0, BLOCK_D)
    places = base + rows.to(tl.int64)[:, None] * stride + d[None, :]
    tl.store(places, value.to(base.dtype.element_ty), mask=(rows < length)[:, None] & (d < DIM)[None, :])


@triton.jit
def steps_of(counts_ptr, row, length, STEP: tl.constexpr, BLOCK: tl.constexpr, HAS_MASK: tl.constexpr):
    """(first, middle, last): steps first … middle - 1 need a mask, those from middle on do not; without a list it is the other way around."""
    if counts_ptr is not None:
        return tl.load(counts_ptr + row * 2) * (BLOCK // STEP), tl.load(counts_ptr + row * 2 + 1) * (BLOCK // STEP)
    elif HAS_MASK:
        return 0, tl.cdiv(length, STEP)
    else:
        return length // STEP, tl.cdiv(length, STEP)


@triton.jit
def step_at(blocks_ptr, i, STEP: tl.constexpr, BLOCK: tl.constexpr):
    """Where step number i begins; without a list of blocks they follow each other."""
    if blocks_ptr is None:
        return i * STEP
    else:
        return tl.load(blocks_ptr + i // (BLOCK // STEP)) * BLOCK + i % (BLOCK // STEP) * STEP


@triton.jit
def modified(score, b, h, q, k, length_q, length_k, score_data, mask_data, SCORE_MOD: tl.constexpr, MASK_MOD: tl.constexpr, MASKED: tl.constexpr):
    """What the rules make of scores."""
    at_q = tl.minimum(q, length_q - 1)
    at_k = tl.minimum(k, length_k - 1)
    if SCORE_MOD is not None:
        score = SCORE_MOD(score, b, h, at_q, at_k, score_data).to(tl.float32)
    if MASKED:
        seen = k < length_k
        if MASK_MOD is not None:
            seen = seen & sees(b, h, at_q, at_k, mask_data, MASK_MOD)
        score = tl.where(seen, score, -float("inf"))
    return score


@triton.jit
def kept(seed, number, q, k, DROPOUT: tl.constexpr):
    """1 / (1 - DROPOUT), or 0 with that probability; the same in every pass. `number` is that of a head of all batches."""
    word, _, _, _ = tl.philox(seed, k + 0 * q, q + 0 * k, number, 0)
    return tl.where(tl.uint_to_uniform_float(word) >= DROPOUT, 1 / (1 - DROPOUT), 0.0)


@triton.jit
def attend(total, weight, largest, q, k_ptr, v_ptr, blocks_ptr, first, last, batch, head, number, rows, length_q, length_k, scale, k_stride, v_stride,
           score_data, mask_data, seed, DIM: tl.constexpr, DIM_V: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_DV: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr, SCORE_MOD: tl.constexpr, MASK_MOD: tl.constexpr, MASKED: tl.constexpr, DROPOUT: tl.constexpr, PRECISION: tl.constexpr):
    """Adds the steps first … last - 1: `largest` score so far, sum of `weight`s and weighted `total` relative to it."""
    for i in range(first, last):
        columns = step_at(blocks_ptr, i, BLOCK_N, BLOCK_K) + tl.arange(0, BLOCK_N)
        keys = load_tile(k_ptr, columns, k_stride, length_k, DIM, BLOCK_D, MASKED)
        score = tl.dot(q, tl.trans(keys), input_precision=PRECISION) * scale
        score = modified(score, batch, head, rows[:, None], columns[None, :], length_q, length_k, score_data, mask_data, SCORE_MOD, MASK_MOD, MASKED) * LOG2_E
        now = tl.maximum(largest, tl.max(score, axis=1))
        reference = tl.where(now == -float("inf"), 0.0, now)  # a row that has seen no key yet
        p = tl.exp2(score - reference[:, None])
        shrink = tl.exp2(largest - reference)
        weight = weight * shrink + tl.sum(p, axis=1)
        if DROPOUT > 0:
            p *= kept(seed, number, rows[:, None], columns[None, :], DROPOUT)
        values = load_tile(v_ptr, columns, v_stride, length_k, DIM_V, BLOCK_DV, MASKED)
        total = tl.dot(p.to(values.dtype), values, total * shrink[:, None], input_precision=PRECISION)
        largest = now
    return total, weight, largest


@triton.jit
def flex_forward(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, counts_ptr, blocks_ptr, sinks_ptr, score_data, mask_data, scale, seed,  #
                 q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s, v_stride_b, v_stride_h, v_stride_s,  #
                 out_stride_b, out_stride_h, out_stride_s, blocks_stride_b, blocks_stride_h, heads, group, length_q, length_k,  #
                 DIM: tl.constexpr, DIM_V: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_DV: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, SCORE_MOD: tl.constexpr = None, MASK_MOD: tl.constexpr = None,
                 DROPOUT: tl.constexpr = 0.0, PRECISION: tl.constexpr = None):
    """Grid: (blocks of BLOCK_M queries, batch * heads); BLOCK_M and BLOCK_N divide the blocks BLOCK_Q and BLOCK_K of the mask. counts and blocks are its lists by queries,
    blocks_stride_b and _h say how many rows lie from one to the next (0: one mask for all); or None. lse is fp32 [batch, heads, length_q], natural
    logarithms. sinks, fp32 [heads] or None, are scores of a key without a value."""
    number = tl.program_id(1)
    batch = number // heads
    head = number % heads
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    q_ptr += batch.to(tl.int64) * q_stride_b + head.to(tl.int64) * q_stride_h
    k_ptr += batch.to(tl.int64) * k_stride_b + (head // group).to(tl.int64) * k_stride_h
    v_ptr += batch.to(tl.int64) * v_stride_b + (head // group).to(tl.int64) * v_stride_h
    out_ptr += batch.to(tl.int64) * out_stride_b + head.to(tl.int64) * out_stride_h
    row = batch.to(tl.int64) * blocks_stride_b + head * blocks_stride_h + tl.program_id(0) * BLOCK_M // BLOCK_Q
    if blocks_ptr is not None:
        blocks_ptr += row * tl.cdiv(length_k, BLOCK_K)
    q = load_tile(q_ptr, rows, q_stride_s, length_q, DIM, BLOCK_D, True)
    total = tl.zeros((BLOCK_M, BLOCK_DV), tl.float32)
    weight = tl.zeros((BLOCK_M, ), tl.float32)
    largest = tl.full((BLOCK_M, ), -float("inf"), tl.float32)
    if sinks_ptr is not None:
        weight += 1.0
        largest = tl.zeros((BLOCK_M, ), tl.float32) + tl.load(sinks_ptr + head).to(tl.float32) * LOG2_E
    middle, last = steps_of(counts_ptr, row, length_k, BLOCK_N, BLOCK_K, MASK_MOD is not None)
    IN_PART_FIRST: tl.constexpr = counts_ptr is not None
    total, weight, largest = attend(total, weight, largest, q, k_ptr, v_ptr, blocks_ptr, 0, middle, batch, head, number, rows, length_q, length_k, scale, k_stride_s,
                                    v_stride_s, score_data, mask_data, seed, DIM, DIM_V, BLOCK_D, BLOCK_DV, BLOCK_N, BLOCK_K, SCORE_MOD, MASK_MOD,
                                    IN_PART_FIRST, DROPOUT, PRECISION)
    total, weight, largest = attend(total, weight, largest, q, k_ptr, v_ptr, blocks_ptr, middle, last, batch, head, number, rows, length_q, length_k, scale, k_stride_s,
                                    v_stride_s, score_data, mask_data, seed, DIM, DIM_V, BLOCK_D, BLOCK_DV, BLOCK_N, BLOCK_K, SCORE_MOD, MASK_MOD,
                                    not IN_PART_FIRST, DROPOUT, PRECISION)
    sees_none = weight == 0.0
    tl.store(lse_ptr + number.to(tl.int64) * length_q + rows, (largest + tl.log2(weight)) * LN_2, mask=rows < length_q)
    store_tile(out_ptr, rows, out_stride_s, length_q, total / tl.where(sees_none, 1.0, weight)[:, None], DIM_V, BLOCK_DV)


@triton.jit
def flex_delta(out_ptr, grad_out_ptr, grad_lse_ptr, delta_ptr, out_stride_b, out_stride_h, out_stride_s, grad_stride_b, grad_stride_h, grad_stride_s, heads, length_q,
               DIM_V: tl.constexpr, BLOCK_DV: tl.constexpr, BLOCK_M: tl.constexpr):
    """delta = sum(out * grad_out) - grad_lse for each query: what the backward pass of the softmax subtracts; grad_lse may be None. Grid: (blocks of BLOCK_M queries, batch * heads)."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    out = load_tile(out_ptr + batch * out_stride_b + head * out_stride_h, rows, out_stride_s, length_q, DIM_V, BLOCK_DV, True).to(tl.float32)
    grad_out = load_tile(grad_out_ptr + batch * grad_stride_b + head * grad_stride_h, rows, grad_stride_s, length_q, DIM_V, BLOCK_DV, True).to(tl.float32)
    per_query = tl.program_id(1).to(tl.int64) * length_q + rows
    delta = tl.sum(out * grad_out, axis=1)
    if grad_lse_ptr is not None:
        delta -= tl.load(grad_lse_ptr + per_query, mask=rows < length_q, other=0.0)
    tl.store(delta_ptr + per_query, delta, mask=rows < length_q)


@triton.jit
def load_sums(lse_ptr, rows, length):
    """Logarithms of base 2 of the sums; +inf, which makes weights 0, for queries that see no key and behind the last one."""
    lse = tl.load(lse_ptr + rows, mask=rows < length, other=-float("inf"))
    return tl.where(lse == -float("inf"), float("inf"), lse * LOG2_E)


@triton.jit
def flex_sink_gradient(sinks_ptr, lse_ptr, delta_ptr, grad_ptr, batch, heads, length_q, BLOCK: tl.constexpr):
    """The gradient of sinks, fp32. Grid: heads."""
    head = tl.program_id(0)
    sink = tl.load(sinks_ptr + head).to(tl.float32) * LOG2_E
    total = tl.zeros((BLOCK, ), tl.float32)
    for b in range(0, batch):
        start = (tl.cast(b, tl.int64) * heads + head) * length_q
        for first in range(0, length_q, BLOCK):
            rows = first + tl.arange(0, BLOCK)
            total -= tl.exp2(sink - load_sums(lse_ptr + start, rows, length_q)) * tl.load(delta_ptr + start + rows, mask=rows < length_q, other=0.0)
    tl.store(grad_ptr + head, tl.sum(total, axis=0))


@triton.jit
def gradient_of_scores(product, grad_p, lse, delta, batch, head, number, q, k, length_q, length_k, scale, score_data, mask_data, seed, SCORE_MOD: tl.constexpr,
                       SCORE_GRADIENT: tl.constexpr, MASK_MOD: tl.constexpr, MASKED: tl.constexpr, DROPOUT: tl.constexpr):
    """(weights of the values, gradient of what the rules made of scores, gradient of the scores). q and k lie as the tile does."""
    score = product * scale
    p = tl.exp2(modified(score, batch, head, q, k, length_q, length_k, score_data, mask_data, SCORE_MOD, MASK_MOD, MASKED) * LOG2_E - lse)
    dropped = p
    if DROPOUT > 0:
        factor = kept(seed, number, q, k, DROPOUT)
        dropped = p * factor
        grad_p *= factor
    grad_modified = p * (grad_p - delta)
    gradient = grad_modified
    if SCORE_GRADIENT is not None:
        gradient = SCORE_GRADIENT(grad_modified, score, batch, head, tl.minimum(q, length_q - 1), tl.minimum(k, length_k - 1), score_data)
    return dropped, grad_modified, gradient


@triton.jit
def add_key_gradients(grad_k, grad_v, keys, values, q_ptr, grad_out_ptr, lse_ptr, delta_ptr, blocks_ptr, first, last, batch, head, number, columns, length_q,
                      length_k, scale, q_stride, grad_stride, score_data, mask_data, seed, DIM: tl.constexpr, DIM_V: tl.constexpr, BLOCK_D: tl.constexpr,
                      BLOCK_DV: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_Q: tl.constexpr, SCORE_MOD: tl.constexpr, SCORE_GRADIENT: tl.constexpr,
                      MASK_MOD: tl.constexpr, MASKED: tl.constexpr, DROPOUT: tl.constexpr, PRECISION: tl.constexpr):
    """Adds what the steps first … last - 1 of one head's queries contribute to the gradients of a block of keys and values. Scores stand transposed, with
    a row for each key: then they are operands as they are."""
    for i in range(first, last):
        rows = step_at(blocks_ptr, i, BLOCK_M, BLOCK_Q) + tl.arange(0, BLOCK_M)
        q = load_tile(q_ptr, rows, q_stride, length_q, DIM, BLOCK_D, True)
        grad_out = load_tile(grad_out_ptr, rows, grad_stride, length_q, DIM_V, BLOCK_DV, True)
        lse = load_sums(lse_ptr, rows, length_q)
        delta = tl.load(delta_ptr + rows, mask=rows < length_q, other=0.0)
        product = tl.dot(keys, tl.trans(q), input_precision=PRECISION)
        grad_p = tl.dot(values, tl.trans(grad_out), input_precision=PRECISION)
        dropped, _, gradient = gradient_of_scores(product, grad_p, lse[None, :], delta[None, :], batch, head, number, rows[None, :], columns[:, None], length_q, length_k, scale,
                                                  score_data, mask_data, seed, SCORE_MOD, SCORE_GRADIENT, MASK_MOD, MASKED, DROPOUT)
        grad_v = tl.dot(dropped.to(grad_out.dtype), grad_out, grad_v, input_precision=PRECISION)
        grad_k = tl.dot(gradient.to(q.dtype), q, grad_k, input_precision=PRECISION)
    return grad_k, grad_v


@triton.jit
def flex_backward_kv(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_k_ptr, grad_v_ptr, counts_ptr, blocks_ptr, score_data, mask_data, scale, seed,  #
                     q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s, v_stride_b, v_stride_h, v_stride_s,  #
                     grad_stride_b, grad_stride_h, grad_stride_s, blocks_stride_b, blocks_stride_h, heads, group, length_q, length_k,  #
                     DIM: tl.constexpr, DIM_V: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_DV: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, SCORE_MOD: tl.constexpr = None, SCORE_GRADIENT: tl.constexpr = None,
                     MASK_MOD: tl.constexpr = None, DROPOUT: tl.constexpr = 0.0, PRECISION: tl.constexpr = None):
    """Gradients of k and v, which have their strides. counts and blocks are the lists of the mask by keys. Grid: (blocks of BLOCK_N keys, batch * heads of k)."""
    heads_k = heads // group
    batch = tl.program_id(1) // heads_k
    head_k = tl.program_id(1) % heads_k
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k_start = batch.to(tl.int64) * k_stride_b + head_k.to(tl.int64) * k_stride_h
    v_start = batch.to(tl.int64) * v_stride_b + head_k.to(tl.int64) * v_stride_h
    keys = load_tile(k_ptr + k_start, columns, k_stride_s, length_k, DIM, BLOCK_D, True)
    values = load_tile(v_ptr + v_start, columns, v_stride_s, length_k, DIM_V, BLOCK_DV, True)
    grad_k = tl.zeros((BLOCK_N, BLOCK_D), tl.float32)
    grad_v = tl.zeros((BLOCK_N, BLOCK_DV), tl.float32)
    for member in range(0, group):
        head = head_k * group + member
        number = batch * heads + head
        row = batch.to(tl.int64) * blocks_stride_b + head * blocks_stride_h + tl.program_id(0) * BLOCK_N // BLOCK_K
        middle, last = steps_of(counts_ptr, row, length_q, BLOCK_M, BLOCK_Q, True)
        if blocks_ptr is not None:
            list_ptr = blocks_ptr + row * tl.cdiv(length_q, BLOCK_Q)
        else:
            list_ptr = None
        q_start = batch.to(tl.int64) * q_stride_b + head.to(tl.int64) * q_stride_h
        grad_start = batch.to(tl.int64) * grad_stride_b + head.to(tl.int64) * grad_stride_h
        per_query = number.to(tl.int64) * length_q
        if counts_ptr is not None:
            grad_k, grad_v = add_key_gradients(grad_k, grad_v, keys, values, q_ptr + q_start, grad_out_ptr + grad_start, lse_ptr + per_query, delta_ptr + per_query,
                                               list_ptr, 0, middle, batch, head, number, columns, length_q, length_k, scale, q_stride_s, grad_stride_s,
                                               score_data, mask_data, seed, DIM, DIM_V, BLOCK_D, BLOCK_DV, BLOCK_M, BLOCK_Q, SCORE_MOD, SCORE_GRADIENT,
                                               MASK_MOD, True, DROPOUT, PRECISION)
        grad_k, grad_v = add_key_gradients(grad_k, grad_v, keys, values, q_ptr + q_start, grad_out_ptr + grad_start, lse_ptr + per_query, delta_ptr + per_query,
                                           list_ptr, middle, last, batch, head, number, columns, length_q, length_k, scale, q_stride_s, grad_stride_s,
                                           score_data, mask_data, seed, DIM, DIM_V, BLOCK_D, BLOCK_DV, BLOCK_M, BLOCK_Q, SCORE_MOD, SCORE_GRADIENT,
                                           MASK_MOD, counts_ptr is None and MASK_MOD is not None, DROPOUT, PRECISION)
    store_tile(grad_k_ptr + k_start, columns, k_stride_s, length_k, grad_k * scale, DIM, BLOCK_D)
    store_tile(grad_v_ptr + v_start, columns, v_stride_s, length_k, grad_v, DIM_V, BLOCK_DV)


@triton.jit
def add_query_gradients(grad_q, q, grad_out, lse, delta, k_ptr, v_ptr, grad_bias_ptr, blocks_ptr, first, last, batch, head, number, rows, length_q, length_k, scale,
                        k_stride, v_stride, score_data, mask_data, seed, DIM: tl.constexpr, DIM_V: tl.constexpr, BLOCK_D: tl.constexpr,
                        BLOCK_DV: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SCORE_MOD: tl.constexpr, SCORE_GRADIENT: tl.constexpr,
                        MASK_MOD: tl.constexpr, MASKED: tl.constexpr, DROPOUT: tl.constexpr, PRECISION: tl.constexpr):
    """Adds what the steps first … last - 1 contribute to the gradients of a block of queries, and stores those of what was added to scores."""
    for i in range(first, last):
        columns = step_at(blocks_ptr, i, BLOCK_N, BLOCK_K) + tl.arange(0, BLOCK_N)
        keys = load_tile(k_ptr, columns, k_stride, length_k, DIM, BLOCK_D, MASKED)
        values = load_tile(v_ptr, columns, v_stride, length_k, DIM_V, BLOCK_DV, MASKED)
        product = tl.dot(q, tl.trans(keys), input_precision=PRECISION)
        grad_p = tl.dot(grad_out, tl.trans(values), input_precision=PRECISION)
        _, grad_modified, gradient = gradient_of_scores(product, grad_p, lse[:, None], delta[:, None], batch, head, number, rows[:, None], columns[None, :], length_q,
                                                        length_k, scale, score_data, mask_data, seed, SCORE_MOD, SCORE_GRADIENT, MASK_MOD, MASKED, DROPOUT)
        if grad_bias_ptr is not None:
            pairs = grad_bias_ptr + rows.to(tl.int64)[:, None] * length_k + columns[None, :]
            tl.store(pairs, grad_modified.to(grad_bias_ptr.dtype.element_ty), mask=(rows < length_q)[:, None] & (columns < length_k)[None, :])
        grad_q = tl.dot(gradient.to(keys.dtype), keys, grad_q, input_precision=PRECISION)
    return grad_q


@triton.jit
def flex_backward_q(q_ptr, k_ptr, v_ptr, grad_out_ptr, lse_ptr, delta_ptr, grad_q_ptr, grad_bias_ptr, counts_ptr, blocks_ptr, score_data, mask_data, scale, seed,  #
                    q_stride_b, q_stride_h, q_stride_s, k_stride_b, k_stride_h, k_stride_s, v_stride_b, v_stride_h, v_stride_s,  #
                    grad_stride_b, grad_stride_h, grad_stride_s, blocks_stride_b, blocks_stride_h, heads, group, length_q, length_k,  #
                    DIM: tl.constexpr, DIM_V: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_DV: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr, SCORE_MOD: tl.constexpr = None, SCORE_GRADIENT: tl.constexpr = None,
                    MASK_MOD: tl.constexpr = None, DROPOUT: tl.constexpr = 0.0, PRECISION: tl.constexpr = None):
    """Gradient of q, which has its strides, and of what SCORE_MOD adds for each pair, [batch, heads, length_q, length_k] (where no query of a block sees a key it is
    left as it was), or None. Grid: (blocks of BLOCK_M queries, batch * heads)."""
    number = tl.program_id(1)
    batch = number // heads
    head = number % heads
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    q_start = batch.to(tl.int64) * q_stride_b + head.to(tl.int64) * q_stride_h
    k_ptr += batch.to(tl.int64) * k_stride_b + (head // group).to(tl.int64) * k_stride_h
    v_ptr += batch.to(tl.int64) * v_stride_b + (head // group).to(tl.int64) * v_stride_h
    grad_out_ptr += batch.to(tl.int64) * grad_stride_b + head.to(tl.int64) * grad_stride_h
    per_query = number.to(tl.int64) * length_q
    if grad_bias_ptr is not None:
        grad_bias_ptr += per_query * length_k
    row = batch.to(tl.int64) * blocks_stride_b + head * blocks_stride_h + tl.program_id(0) * BLOCK_M // BLOCK_Q
    if blocks_ptr is not None:
        blocks_ptr += row * tl.cdiv(length_k, BLOCK_K)
    q = load_tile(q_ptr + q_start, rows, q_stride_s, length_q, DIM, BLOCK_D, True)
    grad_out = load_tile(grad_out_ptr, rows, grad_stride_s, length_q, DIM_V, BLOCK_DV, True)
    lse = load_sums(lse_ptr + per_query, rows, length_q)
    delta = tl.load(delta_ptr + per_query + rows, mask=rows < length_q, other=0.0)
    grad_q = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)
    middle, last = steps_of(counts_ptr, row, length_k, BLOCK_N, BLOCK_K, MASK_MOD is not None)
    IN_PART_FIRST: tl.constexpr = counts_ptr is not None
    grad_q = add_query_gradients(grad_q, q, grad_out, lse, delta, k_ptr, v_ptr, grad_bias_ptr, blocks_ptr, 0, middle, batch, head, number, rows, length_q, length_k, scale,
                                 k_stride_s, v_stride_s, score_data, mask_data, seed, DIM, DIM_V, BLOCK_D, BLOCK_DV, BLOCK_N, BLOCK_K, SCORE_MOD,
                                 SCORE_GRADIENT, MASK_MOD, IN_PART_FIRST, DROPOUT, PRECISION)
    grad_q = add_query_gradients(grad_q, q, grad_out, lse, delta, k_ptr, v_ptr, grad_bias_ptr, blocks_ptr, middle, last, batch, head, number, rows, length_q, length_k, scale,
                                 k_stride_s, v_stride_s, score_data, mask_data, seed, DIM, DIM_V, BLOCK_D, BLOCK_DV, BLOCK_N, BLOCK_K, SCORE_MOD,
                                 SCORE_GRADIENT, MASK_MOD, not IN_PART_FIRST, DROPOUT, PRECISION)
    store_tile(grad_q_ptr + q_start, rows, q_stride_s, length_q, grad_q * scale, DIM, BLOCK_D)

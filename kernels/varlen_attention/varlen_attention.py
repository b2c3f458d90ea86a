"""Attention of many sequences of different lengths in one launch, forward: prefill, prefill in chunks behind a cached beginning, and decoding, mixed as they
come. The queries of all sequences lie one after the other, [tokens, heads, DIM]: those of sequence b are starts_q[b] … starts_q[b + 1] - 1. Its keys and
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

        # Keys from `first` to `last` are seen by some row, those from `whole` to `end` by all.
        shift = length_k - length_q
        place = rows + shift
        left = tl.where(window_left < 0, length_k + length_q, window_left)
        right = tl.where(window_right < 0, length_k + length_q, window_right)
        last_row = tl.minimum(first_row + BLOCK_M, length_q) - 1
        first = tl.maximum(first_row + shift - left, 0) // BLOCK_N * BLOCK_N
        last = tl.minimum(last_row + shift + right + 1, length_k)
        whole = (tl.maximum(last_row + shift - left, 0) + BLOCK_N - 1) // BLOCK_N * BLOCK_N
        end = tl.maximum(tl.maximum(tl.minimum(first_row + shift + right + 1, length_k), 0) // BLOCK_N * BLOCK_N, whole)
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

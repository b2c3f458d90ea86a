"""Attention of one new query for each sequence over its cache of keys and values, split along the length so that few sequences fill
the machine too: each program takes a share of the keys for all heads of q that one head of k serves, and decode_attention_combine puts
the shares together.

q is [batch, heads, DIM]. The caches are [pages, PAGE_SIZE, heads / group, DIM], and pages[b, i] is the page that holds rows
i * PAGE_SIZE … of sequence b; without a table of pages, page b holds all of sequence b. lengths[b] keys are seen, or the last `window` of
them if that is not 0. The caches may be of a narrower type, as fp8; they are multiplied by scales then, that of k inside of `scale`. A
sequence without keys gives 0."""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def load_rows(cache_ptr, start, page, slot, stride_page, stride_slot, d, inside, DIM: tl.constexpr, BLOCK_D: tl.constexpr):
    """Rows of a cache from `start` on, in one page or in a page for each; zeros where they are not inside, and past the last element of a
    head."""
    cache_ptr += tl.cast(start, tl.int64) * stride_slot
    rows = cache_ptr + (page.to(tl.int64) * stride_page + slot.to(tl.int64) * stride_slot)[:, None] + d[None, :]
    if DIM == BLOCK_D:
        return tl.load(rows, mask=inside[:, None], other=0.0)
    else:
        return tl.load(rows, mask=inside[:, None] & (d < DIM)[None, :], other=0.0)


@triton.jit
def decode_attention(q_ptr, k_ptr, v_ptr, lengths_ptr, pages_ptr, slopes_ptr, out_ptr, lse_ptr, scale, v_scale, window,  #
                     q_stride_b, q_stride_h, k_stride_p, k_stride_s, k_stride_h, v_stride_p, v_stride_s, v_stride_h, pages_stride,  #
                     heads, group, DIM: tl.constexpr, PAGE_SIZE: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_D: tl.constexpr, SOFTCAP: tl.constexpr = 0.0, PRECISION: tl.constexpr = None):
    """Grid: (splits, batch * heads of k); BLOCK_H >= group (tensor cores take 16 rows), BLOCK_D >= DIM. out is contiguous [batch, heads, splits, DIM],
    lse [batch, heads, splits] to base 2: with one split, out is the result. slopes (ALiBi, one a head) adds slope * (key - last key) to
    scores; SOFTCAP c turns a score s into c * tanh(s / c) before."""
    split = tl.program_id(0)
    splits = tl.num_programs(0)
    heads_k = heads // group
    batch = tl.program_id(1) // heads_k
    head_k = (tl.program_id(1) % heads_k).to(tl.int64)
    k_ptr += head_k * k_stride_h
    v_ptr += head_k * v_stride_h
    if pages_ptr is not None:
        pages_ptr += batch.to(tl.int64) * pages_stride
    length = tl.load(lengths_ptr + batch)
    first = tl.where(window > 0, tl.maximum(length - window, 0), 0)

    member = tl.arange(0, BLOCK_H)
    head = head_k * group + member
    d = tl.arange(0, BLOCK_D)
    served = member < group
    q = tl.load(q_ptr + batch.to(tl.int64) * q_stride_b + head[:, None] * q_stride_h + d[None, :], mask=served[:, None] & (d < DIM)[None, :],
                other=0.0)
    if slopes_ptr is not None:
        slope = tl.load(slopes_ptr + head, mask=served, other=0.0).to(tl.float32)
    total = tl.zeros((BLOCK_H, BLOCK_D), tl.float32)
    weight = tl.zeros((BLOCK_H, ), tl.float32)
    largest = tl.full((BLOCK_H, ), -float("inf"), tl.float32)

    # Blocks start at multiples of BLOCK_N, so that one lies in one page where its size allows; each has a key that is seen.
    first_block = first // BLOCK_N
    blocks = tl.cdiv(length, BLOCK_N) - first_block
    each = tl.cdiv(blocks, splits)
    start = first_block + split * each
    for block in range(start, tl.minimum(start + each, first_block + blocks)):
        columns = block * BLOCK_N + tl.arange(0, BLOCK_N)
        inside = (columns >= first) & (columns < length)
        row = tl.arange(0, BLOCK_N)  # behind `begin`, in the page
        begin = block * BLOCK_N
        page = batch
        if pages_ptr is not None:
            if PAGE_SIZE % BLOCK_N == 0:
                page = tl.load(pages_ptr + block // (PAGE_SIZE // BLOCK_N))
                begin = block % (PAGE_SIZE // BLOCK_N) * BLOCK_N
            else:
                page = tl.load(pages_ptr + columns // PAGE_SIZE, mask=inside, other=0)
                row = columns % PAGE_SIZE
                begin = 0
        keys = load_rows(k_ptr, begin, page, row, k_stride_p, k_stride_s, d, inside, DIM, BLOCK_D).to(q.dtype)
        score = tl.dot(q, tl.trans(keys), input_precision=PRECISION) * scale
        if SOFTCAP > 0:
            score = SOFTCAP * (2 * tl.sigmoid(score * (2 / SOFTCAP)) - 1)
        if slopes_ptr is not None:
            score += slope[:, None] * (columns - (length - 1)).to(tl.float32)[None, :]
        score = tl.where(inside[None, :], score * LOG2_E, -float("inf"))
        now = tl.maximum(largest, tl.max(score, axis=1))
        p = tl.exp2(score - now[:, None])
        shrink = tl.exp2(largest - now)
        weight = weight * shrink + tl.sum(p, axis=1)
        values = load_rows(v_ptr, begin, page, row, v_stride_p, v_stride_s, d, inside, DIM, BLOCK_D).to(q.dtype)
        total = tl.dot(p.to(q.dtype), values, total * shrink[:, None], input_precision=PRECISION)
        largest = now

    none = weight == 0.0
    result = total * (v_scale / tl.where(none, 1.0, weight))[:, None]
    at = (batch.to(tl.int64) * heads + head) * splits + split
    tl.store(out_ptr + at[:, None] * DIM + d[None, :], result.to(out_ptr.dtype.element_ty), mask=served[:, None] & (d < DIM)[None, :])
    tl.store(lse_ptr + at, tl.where(none, -float("inf"), largest + tl.log2(weight)), mask=served)


@triton.jit
def decode_attention_combine(partial_ptr, lse_ptr, out_ptr, splits, DIM: tl.constexpr, BLOCK_S: tl.constexpr, BLOCK_D: tl.constexpr):
    """out[i] is the mean of the partial results [i, splits, DIM] by the weights 2^lse. Grid: (batch * heads); BLOCK_S >= splits."""
    row = tl.program_id(0).to(tl.int64)
    split = tl.arange(0, BLOCK_S)
    d = tl.arange(0, BLOCK_D)
    lse = tl.load(lse_ptr + row * splits + split, mask=split < splits, other=-float("inf"))
    largest = tl.max(lse, axis=0)
    weight = tl.exp2(lse - tl.where(largest == -float("inf"), 0.0, largest))
    partial = tl.load(partial_ptr + (row * splits + split)[:, None] * DIM + d[None, :], mask=(split < splits)[:, None] & (d < DIM)[None, :], other=0.0)
    total = tl.sum(weight, axis=0)
    result = tl.sum(partial * weight[:, None], axis=0) / tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + row * DIM + d, result.to(out_ptr.dtype.element_ty), mask=d < DIM)

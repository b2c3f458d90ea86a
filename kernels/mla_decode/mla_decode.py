"""Attention of one new query for each sequence over a latent cache (multi-head latent attention, as DeepSeek's models have it): all heads share one row of the
cache for each key, [RANK latent elements | ROPE elements with the position]. The first part is key and value at once, so that a row is read once for
both. The query comes with the up-projection of keys absorbed, [batch, heads, RANK + ROPE]; the result is latent, [batch, heads, RANK], and the up-projection of values
comes behind it.

Cut along the keys as decode_attention is, whose decode_attention_combine puts the shares together. pages[b, i] is the page that holds rows i * PAGE_SIZE …
of sequence b, of which lengths[b] are seen; without a table page b holds all of sequence b. A sequence without keys gives 0."""
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def mla_decode(q_ptr, cache_ptr, lengths_ptr, pages_ptr, out_ptr, lse_ptr, scale, v_scale, q_stride_b, q_stride_h, cache_stride_p, cache_stride_s, pages_stride,
               heads, RANK: tl.constexpr, ROPE: tl.constexpr, PAGE_SIZE: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_N: tl.constexpr,
               BLOCK_R: tl.constexpr, BLOCK_P: tl.constexpr, PRECISION: tl.constexpr = None):
    """Grid: (splits, blocks of BLOCK_H heads, batch). out is contiguous [batch, heads, splits, RANK], lse [batch, heads, splits] to base 2: with one split, out
    is the result. An fp8 cache is multiplied by a scale, that of keys inside of `scale`."""
    split = tl.program_id(0)
    splits = tl.num_programs(0)
    batch = tl.program_id(2)
    head = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    r = tl.arange(0, BLOCK_R)
    p = tl.arange(0, BLOCK_P)
    if pages_ptr is not None:
        pages_ptr += batch.to(tl.int64) * pages_stride
    length = tl.load(lengths_ptr + batch)
    q_row = q_ptr + batch.to(tl.int64) * q_stride_b + head.to(tl.int64)[:, None] * q_stride_h
    q = tl.load(q_row + r[None, :], mask=(head < heads)[:, None] & (r < RANK)[None, :], other=0.0)
    q_rope = tl.load(q_row + RANK + p[None, :], mask=(head < heads)[:, None] & (p < ROPE)[None, :], other=0.0)
    total = tl.zeros((BLOCK_H, BLOCK_R), tl.float32)
    weight = tl.zeros((BLOCK_H, ), tl.float32)
    largest = tl.full((BLOCK_H, ), -float("inf"), tl.float32)
    blocks = tl.cdiv(length, BLOCK_N)
    each = tl.cdiv(blocks, splits)
    for block in range(split * each, tl.minimum(split * each + each, blocks)):
        columns = block * BLOCK_N + tl.arange(0, BLOCK_N)
        inside = columns < length
        if pages_ptr is None:
            row = batch.to(tl.int64) * cache_stride_p + columns.to(tl.int64) * cache_stride_s
        elif PAGE_SIZE % BLOCK_N == 0:
            page = tl.load(pages_ptr + block // (PAGE_SIZE // BLOCK_N)).to(tl.int64)
            row = page * cache_stride_p + (block % (PAGE_SIZE // BLOCK_N) * BLOCK_N + tl.arange(0, BLOCK_N)).to(tl.int64) * cache_stride_s
        else:
            page = tl.load(pages_ptr + columns // PAGE_SIZE, mask=inside, other=0).to(tl.int64)
            row = page * cache_stride_p + (columns % PAGE_SIZE).to(tl.int64) * cache_stride_s
        latent = tl.load(cache_ptr + row[:, None] + r[None, :], mask=inside[:, None] & (r < RANK)[None, :], other=0.0).to(q.dtype)
        rope = tl.load(cache_ptr + row[:, None] + RANK + p[None, :], mask=inside[:, None] & (p < ROPE)[None, :], other=0.0).to(q.dtype)
        score = tl.dot(q, tl.trans(latent), input_precision=PRECISION)
        score = tl.dot(q_rope, tl.trans(rope), score, input_precision=PRECISION)
        score = tl.where(inside[None, :], score * (scale * LOG2_E), -float("inf"))
        now = tl.maximum(largest, tl.max(score, axis=1))  # a block has a key that is seen
        w = tl.exp2(score - now[:, None])
        shrink = tl.exp2(largest - now)
        weight = weight * shrink + tl.sum(w, axis=1)
        total = tl.dot(w.to(q.dtype), latent, total * shrink[:, None], input_precision=PRECISION)
        largest = now
    none = weight == 0.0
    result = total * (v_scale / tl.where(none, 1.0, weight))[:, None]
    at = (batch.to(tl.int64) * heads + head) * splits + split
    tl.store(out_ptr + at[:, None] * RANK + r[None, :], result.to(out_ptr.dtype.element_ty), mask=(head < heads)[:, None] & (r < RANK)[None, :])
    tl.store(lse_ptr + at, tl.where(none, -float("inf"), largest + tl.log2(weight)), mask=head < heads)

"""Attention over a cache of keys and values, and the cache itself, with flash-attn's and vLLM's arguments."""
from __future__ import annotations

import math

from ._arrays import (contiguous, copied, dense, dtype_name, empty, empty_like, host_numbers, on_gpu, require, require_ascending, require_floats, require_segments, require_shape, require_within, strides, unit_rows)
from ._declare import op
from ._library import VECTOR_BLOCK, cdiv, launch, multiprocessors, power_of_two, warps

_CACHE_TYPES = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")


def _splits(x, programs, longest, block):
    """So many shares that every multiprocessor has two programs, and each share a few blocks."""
    wanted = 2 * multiprocessors(x) if on_gpu(x) else 16
    return max(1, min(wanted // max(programs, 1), 128, cdiv(longest, 4 * block)))


def _require_pages(pages, lengths, batch):
    """Their shapes and types."""
    require_shape("lengths", lengths, (batch, ))
    for name, x in (("lengths", lengths), ("pages", pages)):
        require(x is None or dtype_name(x) == "int32", f"`{name}` is not of type int32")
    if pages is not None:
        require(len(pages.shape) == 2 and pages.shape[0] == batch, f"`pages` has shape {tuple(pages.shape)}, but ({batch}, pages of a sequence) is expected")


def _require_known_pages(pages, lengths, page_size, count, last=None):
    """Every page that is read is one of `count`: those of a sequence's keys, or of the `last` of them. Elsewhere anything may stand."""
    require_within("lengths", lengths, 0, page_size * (1 if pages is None else pages.shape[1]))
    numbers, sizes = host_numbers(pages), host_numbers(lengths)
    if numbers is None or sizes is None:
        return
    import numpy
    first_keys, sizes = numpy.arange(numbers.shape[1]) * page_size, sizes[:, None]
    is_read = first_keys < sizes
    if last is not None:
        is_read &= first_keys + page_size > sizes - numpy.reshape(last, (-1, 1))
    require_within("pages", numbers[is_read], 0, count - 1)


@op("out")
def decode_attention(q: Array, k_cache: Array, v_cache: Array, lengths: Array, pages: Array | None = None, scale: float | None = None,
                     k_scale: float = 1.0, v_scale: float = 1.0, window: int = 0, softcap: float = 0.0, alibi_slopes: Array | None = None):
    """One query for each sequence, q [batch, heads, dim], over caches [pages, page size, heads of k, dim]: pages[b, i] is the i-th page of
    sequence b (without it page b), of which lengths[b] keys are seen, or the last `window` of them."""
    require_floats(q=q)
    require(len(q.shape) == 3 and len(k_cache.shape) == 4, "`q` has three axes, and `k_cache` four")
    batch, heads, dim = q.shape
    page_size, heads_k = k_cache.shape[1:3]
    require(heads > 0 and heads_k > 0 and heads % heads_k == 0, f"`q` has {heads} heads, which is no multiple of the {heads_k} heads of `k_cache`")
    require(16 <= dim <= 256, f"a head has {dim} elements, but 16 to 256 are expected")
    require_shape("k_cache", k_cache, (batch if pages is None else k_cache.shape[0], page_size, heads_k, dim))
    require_shape("v_cache", v_cache, k_cache.shape)
    require(dtype_name(k_cache) in _CACHE_TYPES and k_cache.dtype == v_cache.dtype, f"the caches have types {dtype_name(k_cache)} and {dtype_name(v_cache)}, but one float type is expected")
    _require_pages(pages, lengths, batch)
    require(alibi_slopes is None or tuple(alibi_slopes.shape) == (heads, ), f"`alibi_slopes` is not of shape ({heads},)")
    out = empty(q, q.shape)
    yield out
    _require_known_pages(pages, lengths, page_size, k_cache.shape[0], window if window > 0 else None)
    q, k_cache, v_cache = map(unit_rows, (q, k_cache, v_cache))
    pages = None if pages is None else unit_rows(pages)
    longest = page_size * (1 if pages is None else pages.shape[1])
    block_n, block_d = min(max(power_of_two(longest), 16), 32 if dim > 128 else 64), power_of_two(dim)
    splits, group = _splits(q, batch * heads_k, longest, block_n), heads // heads_k
    lse = empty(q, (batch, heads, splits), "float32")
    partial = empty(q, (batch, heads, splits, dim), "float32") if splits > 1 else out
    launch("decode_attention", "decode_attention", (splits, batch * heads_k), q, k_cache, v_cache, contiguous(lengths), pages,
           None if alibi_slopes is None else contiguous(alibi_slopes), partial, lse, k_scale * (dim**-0.5 if scale is None else scale), v_scale, window,
           *strides(q)[:2], *strides(k_cache)[:3], *strides(v_cache)[:3], 0 if pages is None else strides(pages)[0], heads, group, dim,
           1 if pages is None else page_size, max(16 if on_gpu(q) else 1, power_of_two(group)), block_n, block_d, float(softcap), "ieee",
           num_warps=4, num_stages=3)
    if splits > 1:
        launch("decode_attention", "decode_attention_combine", (batch * heads, ), partial, lse, out, splits, dim, power_of_two(splits), block_d)


@op("out")
def mla_decode(q: Array, cache: Array, lengths: Array, rank: int, pages: Array | None = None, scale: float | None = None, cache_scale: float = 1.0):
    """One query for each sequence, q [batch, heads, rank + rope], over a latent cache [pages, page size, rank + rope] that all heads share: its first `rank` elements are
    key and value, the others (with the position) key alone. pages and lengths as `decode_attention` has them. The result is latent, [batch, heads, rank]."""
    require_floats(q=q)
    require(len(q.shape) == 3 and len(cache.shape) == 3, "`q` and `cache` have three axes")
    batch, heads, width = q.shape
    page_size = cache.shape[1]
    require(1 <= rank < width and rank <= 512 and width - rank <= 128,
            f"rows of {width} elements have {rank} latent ones, but 1 to 512 and 1 to 128 others are expected")
    require(heads > 0 and page_size > 0, f"`q` has {heads} heads and a page {page_size} rows, but at least one of each is expected")
    require_shape("cache", cache, (batch if pages is None else cache.shape[0], page_size, width))
    require(dtype_name(cache) in _CACHE_TYPES, f"`cache` has type {dtype_name(cache)}, but a float type is expected")
    _require_pages(pages, lengths, batch)
    out = empty(q, (batch, heads, rank))
    yield out
    _require_known_pages(pages, lengths, page_size, cache.shape[0])
    q, cache = map(unit_rows, (q, cache))
    pages = None if pages is None else unit_rows(pages)
    longest = page_size * (1 if pages is None else pages.shape[1])
    block_n, block_r, block_p = min(max(power_of_two(longest), 16), 32), *(max(power_of_two(n), 16) for n in (rank, width - rank))
    programs = cdiv(heads, 16)
    splits = _splits(q, batch * programs, longest, block_n)
    lse = empty(q, (batch, heads, splits), "float32")
    partial = empty(q, (batch, heads, splits, rank), "float32") if splits > 1 else out
    launch("mla_decode", "mla_decode", (splits, programs, batch), q, cache, contiguous(lengths), pages, partial, lse,
           cache_scale * (width**-0.5 if scale is None else scale), cache_scale, *strides(q)[:2], *strides(cache)[:2], 0 if pages is None else strides(pages)[0],
           heads, rank, width - rank, 1 if pages is None else page_size, 16, block_n, block_r, block_p, "ieee", num_warps=4, num_stages=2)
    if splits > 1:
        launch("decode_attention", "decode_attention_combine", (batch * heads, ), partial, lse, out, splits, rank, power_of_two(splits), block_r)


def flash_attn_with_kvcache(q, k_cache, v_cache, cache_seqlens, block_table=None, softmax_scale=None, window_size=(-1, -1), softcap=0.0,
                            alibi_slopes=None):
    """flash-attn's attention of q [batch, 1, heads, dim] over caches [batch, length, heads of k, dim], or [pages, page size, …] with a
    block_table; the query is the last of cache_seqlens tokens, and sees window_size[0] keys before itself."""
    require(len(q.shape) == 4 and q.shape[1] == 1, f"`q` has shape {tuple(q.shape)}, but (batch, 1, heads, dim) is expected")
    out = decode_attention(q[:, 0], k_cache, v_cache, cache_seqlens, block_table, softmax_scale, 1.0, 1.0, max(window_size[0] + 1, 0), softcap,
                           alibi_slopes)
    return out[:, None]


@op("out lse", shown=1)
def varlen_attention(q: Array, k: Array, v: Array, starts_q: Array, starts_k: Array | None, longest_q: int, lengths_k: Array | None = None,
                     pages: Array | None = None, scale: float | None = None, window_left: int = -1, window_right: int = -1, softcap: float = 0.0,
                     alibi_slopes: Array | None = None, longest_k: int | None = None):
    """Sequences of different lengths in one launch, q [tokens, heads, dim]: the queries of sequence b are starts_q[b] … starts_q[b + 1] - 1, its keys are
    starts_k[b] … of k [tokens, heads of k, dim], or the first lengths_k[b] rows of its pages (starts_k is None then). A query sees window_left keys
    before its place and window_right behind it; the last query stands at the last key. Packed keys have gradients; longest_k makes these faster."""
    require_floats(q=q)
    require(len(q.shape) == 3 and len(k.shape) == (3 if pages is None else 4), f"`q` has shape {tuple(q.shape)} and `k` has {tuple(k.shape)}, but three axes are expected, four of a paged `k`")
    require((pages is None) == (starts_k is not None) == (lengths_k is None), "either `starts_k`, or `lengths_k` and `pages` are expected")
    tokens, heads, dim = q.shape
    heads_k = k.shape[-2]
    require(heads > 0 and heads_k > 0 and heads % heads_k == 0, f"`q` has {heads} heads, which is no multiple of the {heads_k} heads of `k`")
    require(16 <= dim <= 256 and k.shape[-1] == dim, f"heads have {dim} and {k.shape[-1]} elements, but the same number from 16 to 256 is expected")
    require_shape("v", v, k.shape)
    require(dtype_name(k) in _CACHE_TYPES and k.dtype == v.dtype, f"`k` and `v` have types {dtype_name(k)} and {dtype_name(v)}, but one float type is expected")
    require(len(starts_q.shape) == 1 and starts_q.shape[0] > 0, f"`starts_q` has shape {tuple(starts_q.shape)}, but (sequences + 1,) is expected")
    for name, x in (("starts_q", starts_q), ("starts_k", starts_k)):
        require(x is None or dtype_name(x) == "int32", f"`{name}` is not of type int32")
    if starts_k is not None:
        require_shape("starts_k", starts_k, starts_q.shape)
    else:
        _require_pages(pages, lengths_k, starts_q.shape[0] - 1)
    require(alibi_slopes is None or tuple(alibi_slopes.shape) == (heads, ), f"`alibi_slopes` is not of shape ({heads},)")
    out, lse = empty(q, q.shape), empty(q, (heads, tokens), "float32")
    yield out, lse
    require_segments("starts_q", starts_q, tokens, "longest_q", longest_q)
    if starts_k is not None:
        require_ascending("starts_k", starts_k, k.shape[0])
    else:
        places = host_numbers(starts_q) if window_left >= 0 else None  # blocks of keys begin before the window
        _require_known_pages(pages, lengths_k, k.shape[1], k.shape[0], None if places is None else places[1:] - places[:-1] + window_left + 64)
    q, k, v = map(unit_rows, (q, k, v))
    pages = None if pages is None else unit_rows(pages)
    k_steps, v_steps = ((0, *strides(x)[:2]) if pages is None else strides(x)[:3] for x in (k, v))
    narrow = on_gpu(q) and dtype_name(q) != "float32"
    block_m = min(max(power_of_two(longest_q), 16), 128 if narrow else 64)
    launch("varlen_attention", "varlen_attention", (cdiv(longest_q, block_m), (starts_q.shape[0] - 1) * heads), q, k, v, out, lse,
           *(None if x is None else contiguous(x) for x in (starts_q, starts_k, lengths_k)), pages,
           None if alibi_slopes is None else contiguous(alibi_slopes), dim**-0.5 if scale is None else scale, window_left, window_right,
           *strides(q)[:2], *k_steps, *v_steps, *strides(out)[:2], 0 if pages is None else strides(pages)[0], tokens, heads, heads // heads_k, dim,
           1 if pages is None else k.shape[1], block_m, 32 if dim > 128 else 64, power_of_two(dim), float(softcap), "ieee",
           num_warps=8 if block_m >= 128 else 4)


@op("grad_q grad_k grad_v")
def varlen_attention_backward(grad_out: Array, q: Array, k: Array, v: Array, out: Array, lse: Array, starts_q: Array, starts_k: Array, longest_q: int, longest_k: int,
                              scale: float | None, window_left: int, window_right: int, softcap: float, alibi_slopes: Array | None):
    """The gradients of packed q, k and v."""
    q, k, v, out = map(dense, (q, k, v, out))
    grad_q, grad_k, grad_v = map(empty_like, (q, k, v))
    yield grad_q, grad_k, grad_v
    tokens, heads, dim = q.shape
    batch, heads_k = starts_q.shape[0] - 1, k.shape[1]
    grad_out = grad_out if strides(grad_out) == strides(out) else copied(grad_out, out)
    lse, delta = contiguous(lse), empty(q, lse.shape, "float32")
    most, block_d = 32 if dim > 128 else 64, power_of_two(dim)
    block_m, block_n = (min(max(power_of_two(longest), 16), most) for longest in (longest_q, longest_k))
    launch("varlen_attention", "varlen_attention_delta", (cdiv(tokens, block_m), heads), out, grad_out, delta, *strides(out)[:2], tokens, dim, block_m, block_d)
    given = (contiguous(starts_q), contiguous(starts_k), None if alibi_slopes is None else contiguous(alibi_slopes), dim**-0.5 if scale is None else scale, window_left, window_right,
             *(step for x in (q, k, v, out) for step in strides(x)[:2]), tokens, heads, heads // heads_k, dim)
    options = {"num_warps": 4, "num_stages": 2 if dim > 128 else 3}
    # Four products on tiles of keys: with long rows, fewer queries at a time leave registers for them.
    launch("varlen_attention", "varlen_attention_backward_kv", (cdiv(longest_k, block_n), batch * heads_k), q, k, v, grad_out, lse, delta, grad_k, grad_v, *given,
           min(block_m, 32) if dim > 64 else block_m, block_n, block_d, float(softcap), "ieee", **options)
    launch("varlen_attention", "varlen_attention_backward_q", (cdiv(longest_q, block_m), batch * heads), q, k, v, grad_out, lse, delta, grad_q, *given, block_m, block_n, block_d, float(softcap),
           "ieee", **options)


@varlen_attention.gradient
def _(grad_out, q, k, v, starts_q, starts_k, longest_q, pages, scale, window_left, window_right, softcap, alibi_slopes, longest_k, out, lse):
    if pages is not None or k.dtype != q.dtype:
        raise RuntimeError("`nereid.ops.varlen_attention` has no gradient through a cache: packed `k` and `v` of the type of `q` are expected")
    return varlen_attention_backward(grad_out, q, k, v, out, lse, starts_q, starts_k, longest_q, k.shape[0] if longest_k is None else longest_k, scale, window_left, window_right, softcap, alibi_slopes)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k=None, softmax_scale=None, causal=False,
                           window_size=(-1, -1), softcap=0.0, alibi_slopes=None, block_table=None, seqused_k=None):
    """flash-attn's attention of sequences of different lengths: cu_seqlens_q and cu_seqlens_k (int32) say where each begins; with a
    block_table, k and v are caches [pages, page size, heads, dim], of which seqused_k rows are used, and there is no gradient. max_seqlen_k makes the backward pass faster."""
    right = 0 if causal else window_size[1]
    if block_table is None:
        return varlen_attention(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, None, None, softmax_scale, window_size[0], right, softcap, alibi_slopes,
                                max_seqlen_k)
    lengths = cu_seqlens_k[1:] - cu_seqlens_k[:-1] if seqused_k is None else seqused_k
    return varlen_attention(q, k, v, cu_seqlens_q, None, max_seqlen_q, lengths, block_table, softmax_scale, window_size[0], right, softcap, alibi_slopes)


@op("")
def reshape_and_cache_flash(key: Array, value: Array, key_cache: Changed, value_cache: Changed, slot_mapping: Array, k_scale: float = 1.0,
                            v_scale: float = 1.0):
    """Writes key and value [tokens, heads, dim] into caches [pages, page size, heads, dim]: token t into row slot_mapping[t] (int64), or
    nowhere if that is negative. An fp8 cache holds what is divided by the scales."""
    require_floats(key=key, value=value)
    require(len(key.shape) == 3 and len(key_cache.shape) == 4, "`key` has three axes, and `key_cache` four")
    require_shape("value", value, key.shape)
    require_shape("key_cache", key_cache, (*key_cache.shape[:2], *key.shape[1:]))
    require_shape("value_cache", value_cache, key_cache.shape)
    require_shape("slot_mapping", slot_mapping, key.shape[:1])
    require(dtype_name(slot_mapping) == "int64", f"`slot_mapping` has type {dtype_name(slot_mapping)}, but int64 is expected")
    n = math.prod(key.shape[1:])
    for name, x in (("key_cache", key_cache), ("value_cache", value_cache)):
        require(strides(x)[2:] == (key.shape[2], 1), f"the rows of `{name}` must be contiguous")
    yield
    require_within("slot_mapping", slot_mapping, -1 << 63, key_cache.shape[0] * key_cache.shape[1] - 1)
    key, value = (unit_rows(x.reshape(x.shape[0], n)) for x in (key, value))
    block = min(max(power_of_two(n), 16), VECTOR_BLOCK)
    launch("kv_cache", "write_kv_cache", (key.shape[0], cdiv(n, block)), key, value, key_cache, value_cache, contiguous(slot_mapping), k_scale,
           v_scale, strides(key)[0], strides(value)[0], *strides(key_cache)[:2], *strides(value_cache)[:2], key_cache.shape[1], n, block,
           key.dtype != key_cache.dtype or k_scale != 1 or v_scale != 1, num_warps=warps(block))


@op("")
def copy_blocks(cache: Changed, block_mapping: Array):
    """cache[block_mapping[i, 1]] = cache[block_mapping[i, 0]] (int64 pairs); no page is both source and destination."""
    require(len(cache.shape) > 0, "`cache` has no axes")
    require_shape("block_mapping", block_mapping, (*block_mapping.shape[:1], 2))
    require(dtype_name(block_mapping) == "int64", f"`block_mapping` has type {dtype_name(block_mapping)}, but int64 is expected")
    n = math.prod(cache.shape[1:])
    require(strides(cache)[0] == n or n == 0, "the pages of `cache` must be contiguous")
    yield
    require_within("block_mapping", block_mapping, 0, cache.shape[0] - 1)
    launch("kv_cache", "copy_pages", (block_mapping.shape[0], cdiv(n, VECTOR_BLOCK)), cache, contiguous(block_mapping), n, n, VECTOR_BLOCK,
           num_warps=warps(VECTOR_BLOCK))

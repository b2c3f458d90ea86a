"""Writing and copying a paged cache of keys and values: [pages, page_size, heads, dim], each row of which is a token's."""
import triton
import triton.language as tl


@triton.jit
def narrowed(x, scale, type: tl.constexpr):
    """x / scale in the cache's type; fp8 saturates."""
    x = x.to(tl.float32) / scale
    if type == tl.float8e4nv:
        x = tl.minimum(tl.maximum(x, -448.0), 448.0)
    elif type == tl.float8e5:
        x = tl.minimum(tl.maximum(x, -57344.0), 57344.0)
    return x.to(type)


@triton.jit
def write_kv_cache(k_ptr, v_ptr, k_cache_ptr, v_cache_ptr, slots_ptr, k_scale, v_scale, k_stride_t, v_stride_t, k_cache_stride_p, k_cache_stride_s,
                   v_cache_stride_p, v_cache_stride_s, page_size, n, BLOCK: tl.constexpr, SCALED: tl.constexpr = False):
    """Token t's n = heads * dim contiguous elements go to row slots[t] % page_size of page slots[t] // page_size; a negative slot is left out.
    Grid: (tokens, blocks of n). Two tokens with one slot are a race. SCALED: divided by the scales, rounded to the cache's type."""
    token = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    slot = tl.load(slots_ptr + token).to(tl.int64)
    inside = (i < n) & (slot >= 0)
    page = slot // page_size
    row = slot % page_size
    k = tl.load(k_ptr + token * k_stride_t + i, mask=inside)
    v = tl.load(v_ptr + token * v_stride_t + i, mask=inside)
    if SCALED:
        k = narrowed(k, k_scale, k_cache_ptr.dtype.element_ty)
        v = narrowed(v, v_scale, v_cache_ptr.dtype.element_ty)
    tl.store(k_cache_ptr + page * k_cache_stride_p + row * k_cache_stride_s + i, k, mask=inside)
    tl.store(v_cache_ptr + page * v_cache_stride_p + row * v_cache_stride_s + i, v, mask=inside)


@triton.jit
def copy_pages(cache_ptr, pairs_ptr, stride_p, n, BLOCK: tl.constexpr):
    """cache[pairs[i, 1]] = cache[pairs[i, 0]] for pages of n contiguous elements; no page is both source and destination. Grid: (pairs, blocks of n)."""
    pair = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    source = tl.load(pairs_ptr + 2 * pair).to(tl.int64)
    destination = tl.load(pairs_ptr + 2 * pair + 1).to(tl.int64)
    x = tl.load(cache_ptr + source * stride_p + i, mask=i < n)
    tl.store(cache_ptr + destination * stride_p + i, x, mask=i < n)

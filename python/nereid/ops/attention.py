"""Attention over whole sequences, in torch's layout and in flash-attn's, and rotary positions."""
from __future__ import annotations

from ._arrays import contiguous, copied, countable, dense, dtype_name, empty, empty_like, on_gpu, require, require_floats, require_shape, strides, unit_rows
from ._configurations import configuration, launch_options
from ._declare import op
from ._library import cdiv, launch, power_of_two
from .flex import attend, mask_where


_MOST_SCORES = 2 << 30  # bytes of gradients of scores that are kept at a time


def _columns(dim):
    """Of the tiles of a head, as flash_attention has them."""
    return dim if dim in (160, 192) else power_of_two(dim)


def _tile(kernel, x, length_q, length_k, dim, causal, by_descriptor):
    """(BLOCK_M, BLOCK_N, BY_DESCRIPTOR, launch options); None where no row holds."""
    size = 4 if dtype_name(x) == "float32" else 2
    numbers = configuration("attention_" + kernel, x, bytes=size, dim=_columns(dim), causal=causal, length=power_of_two(length_k), whole=by_descriptor and size == 2)
    if not numbers:
        return None

    def block(length, most):
        return min(max(power_of_two(length), 16), most)

    return (block(length_q, numbers.get("BLOCK_M", 64)), block(length_k, numbers.get("BLOCK_N", 64)),
            by_descriptor and numbers.get("TMA", 0) == 1, launch_options(numbers))


def _rows_are_whole(*arrays):
    """Rows that start at multiples of 16 bytes can come by TMA."""
    return all(hasattr(x, "data_ptr") and x.data_ptr() % 16 == 0 and all(step % 8 == 0 for step in strides(x)[:3]) for x in arrays)


def _is_usual(dim):
    return 16 <= dim and (dim <= 256 or power_of_two(dim) == dim)


def _require_heads(q, k, v):
    require_floats(q=q, k=k, v=v)
    require(len(q.shape) == 4 and len(k.shape) == 4, "`q` and `k` have four axes")
    batch, heads, _, dim = q.shape
    require_shape("k", k, (batch, k.shape[1], k.shape[2], dim))
    require_shape("v", v, k.shape)
    require(k.shape[1] > 0 and heads % k.shape[1] == 0, f"`q` has {heads} heads, which is no multiple of the {k.shape[1]} heads of `k`")
    require(_is_usual(dim), f"a head has {dim} elements, but 16 to 256, or a power of two above, is expected")
    require(q.dtype == k.dtype == v.dtype, f"`q`, `k` and `v` have types {dtype_name(q)}, {dtype_name(k)} and {dtype_name(v)}, but one is expected")


@op("out lse", shown=1)
def attention(q: Array, k: Array, v: Array, causal: bool = False, scale: float | None = None):
    """softmax(q @ k^T * scale) @ v on [batch, heads, length, dim]; each head of k and v may serve several of q. With `causal`, query i
    sees the keys up to i + length of k - length of q. `scale` is 1 / sqrt(dim) if not given."""
    _require_heads(q, k, v)
    out, lse = empty_like(unit_rows(q)), empty(q, q.shape[:3], "float32")
    yield out, lse
    q, k, v = map(unit_rows, (q, k, v))
    batch, heads, length_q, dim = q.shape
    length_k = k.shape[2]
    block_m, block_n, by_descriptor, options = _tile("forward", q, length_q, length_k, dim, causal, _rows_are_whole(k, v))
    launch("flash_attention", "flash_attention_forward", (cdiv(length_q, block_m), batch * heads), q, k, v, out, lse,
           dim**-0.5 if scale is None else scale, *_steps(q, k, v, out), heads, heads // k.shape[1], length_q, length_k, dim, block_m, block_n, causal,
           "ieee", by_descriptor, **options)


def _steps(*arrays):
    return [step for x in arrays for step in strides(x)[:3]]


@op("grad_q grad_k grad_v")
def attention_backward(grad_out: Array, q: Array, k: Array, v: Array, out: Array, lse: Array, causal: bool = False, scale: float | None = None):
    """The gradients of q, k and v. Where the table has a row for it, the gradients of scores are kept between the kernels, up to 2 GiB of them at a time."""
    q, k, v, out = map(dense, (q, k, v, out))
    grad_q, grad_k, grad_v = map(empty_like, (q, k, v))
    yield grad_q, grad_k, grad_v
    batch, heads, length_q, dim = q.shape
    length_k = k.shape[2]
    grad_out = grad_out if strides(grad_out) == strides(out) else copied(grad_out, out)
    lse, delta = contiguous(lse), empty(q, lse.shape, "float32")
    scale = dim**-0.5 if scale is None else scale
    sizes = (*_steps(q, k, v, out), heads, heads // k.shape[1], length_q, length_k, dim)
    launch("flash_attention", "flash_attention_delta", (cdiv(length_q, 64), batch * heads), out, grad_out, delta, *_steps(out), heads, length_q, dim, 64)
    group, heads_k, stride = heads // k.shape[1], batch * k.shape[1], cdiv(length_q, 16) * 16
    together = min(heads_k, _MOST_SCORES // max(group * length_k * stride * q.dtype.itemsize, 1))
    tile = _tile("backward_scores", q, length_q, length_k, dim, causal, _rows_are_whole(q, k, grad_out)) if together else None
    if tile:
        block_m, block_n, by_descriptor, options = tile
        scores = empty(q, (together * group, length_k, stride))
        for first in range(0, heads_k, together):
            some = min(together, heads_k - first)
            launch("flash_attention", "flash_attention_backward_kv", (cdiv(length_k, block_n), some), q, k, v, grad_out, lse, delta, grad_k, grad_v, scale, *sizes, block_m, block_n, causal, "ieee",
                   by_descriptor, scores, stride, first, **options)
            launch("flash_attention", "flash_attention_backward_q_of_scores", (cdiv(length_q, block_n), some * group), scores, k, grad_q, scale, *_steps(q, k), heads, group, length_q, length_k,
                   stride, first * group, dim, block_n, min(block_n, 64), causal, "ieee", **(options | {"num_stages": 6} if options else options))
        return
    block_m, block_n, by_descriptor, options = _tile("backward_kv", q, length_q, length_k, dim, causal, _rows_are_whole(q, grad_out))
    launch("flash_attention", "flash_attention_backward_kv", (cdiv(length_k, block_n), heads_k), q, k, v, grad_out, lse, delta, grad_k,
           grad_v, scale, *sizes, block_m, block_n, causal, "ieee", by_descriptor, **options)
    block_m, block_n, by_descriptor, options = _tile("backward_q", q, length_q, length_k, dim, causal, _rows_are_whole(k, v))
    launch("flash_attention", "flash_attention_backward_q", (cdiv(length_q, block_m), batch * heads), q, k, v, grad_out, lse, delta, grad_q, scale,
           *sizes, block_m, block_n, causal, "ieee", by_descriptor, **options)


@attention.gradient
def _(grad_out, q, k, v, out, lse, causal, scale):
    return attention_backward(grad_out, q, k, v, out, lse, causal, scale)


_FP8 = ("float8_e4m3fn", "float8_e5m2", "uint8")


@op("out lse")
def fp8_attention(q: Array, k: Array, v: Array, q_descale: Array | None = None, k_descale: Array | None = None, v_descale: Array | None = None, causal: bool = False, scale: float | None = None,
                  dtype: str = "float32"):
    """(out, lse) of attention of fp8 tensors [batch, heads, length, dim] (or uint8 with the bits of E4M3), forward; weights of keys become fp8 too. A head of q, k and v is multiplied with its descale, float32 [batch, heads of k]. A GPU
    likes a `v` best whose length is contiguous. dtype is that of `out`; dim is a power of two from 32 to 256."""
    require(len(q.shape) == 4 and len(k.shape) == 4, "`q` and `k` have four axes")
    require(dtype_name(q) in _FP8 and q.dtype == k.dtype == v.dtype, f"`q`, `k` and `v` have types {dtype_name(q)}, {dtype_name(k)} and {dtype_name(v)}, but one of fp8, or uint8, is expected")
    batch, heads, length_q, dim = q.shape
    heads_k, length_k = k.shape[1:3]
    require_shape("k", k, (batch, heads_k, length_k, dim))
    require_shape("v", v, k.shape)
    require(heads_k > 0 and heads % heads_k == 0, f"`q` has {heads} heads, which is no multiple of the {heads_k} heads of `k`")
    require(32 <= dim <= 256 and power_of_two(dim) == dim, f"a head has {dim} elements, but a power of two from 32 to 256 is expected")
    require(scale is None or scale > 0, f"`scale` is {scale}, but must be positive")
    for name, x in (("q_descale", q_descale), ("k_descale", k_descale), ("v_descale", v_descale)):
        if x is not None:
            require_shape(name, x, (batch, heads_k))
            require(dtype_name(x) == "float32", f"`{name}` has type {dtype_name(x)}, but float32 is expected")
    out, lse = empty(q, q.shape, dtype), empty(q, q.shape[:3], "float32")
    yield out, lse
    q, k = unit_rows(q), unit_rows(k)
    is_transposed = strides(v)[2] == 1 and strides(v)[3] != 1
    v = v if is_transposed else unit_rows(v)
    v_stride, is_long = strides(v)[3 if is_transposed else 2], length_q > 64
    block_m, block_n = min(max(power_of_two(length_q), 16), 128 if is_long else 64), min(max(power_of_two(length_k), 32), 64 if dim > 128 else 128)
    by_descriptor = on_gpu(q) and all(x.data_ptr() % 16 == 0 and not any(step % 16 for step in (*strides(x)[:2], row)) and row > 0 for x, row in ((k, strides(k)[2]), (v, v_stride)))
    launch("fp8_attention", "fp8_attention", (cdiv(length_q, block_m), batch * heads), q, k, v, *(None if x is None else contiguous(x) for x in (q_descale, k_descale, v_descale)), out, lse,
           dim**-0.5 if scale is None else scale, *_steps(q, k), *strides(v)[:2], v_stride, *_steps(out), heads, heads // heads_k, length_q, length_k, dim, block_m, block_n, causal,
           "DS" if is_transposed else "SD", by_descriptor, num_warps=8 if is_long else 4, num_stages=2 if dim > 128 else 3)


def _plain(q, v):
    """Whether heads are as `attention` takes them."""
    return _is_usual(q.shape[-1]) and v.shape[-1] == q.shape[-1]


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=True, seed=0):
    """torch's attention on [batch, heads, length, dim]; keys and values may have fewer heads, values another dim. `attn_mask` broadcasts to [batch, heads, queries, keys]:
    of bool it says who sees whom, of floats it is added to scores and has a gradient. Causal where both lengths are equal. `seed` is that of the dropout."""
    require(not is_causal or query.shape[2] == key.shape[2],
            "`is_causal` means another triangle here and in torch where lengths differ: use `flash_attn_func`")
    require(not is_causal or attn_mask is None, "either `attn_mask` or `is_causal` is expected")
    require(enable_gqa or query.shape[1] == key.shape[1], f"`query` has {query.shape[1]} heads and `key` {key.shape[1]}: `enable_gqa` lets several share one")
    if attn_mask is None and not dropout_p and _plain(query, value):
        return attention(query, key, value, is_causal, scale)
    mask, bias, lengths = None, None, (query.shape[2], key.shape[2])
    if is_causal:
        mask = mask_where(query, "causal", (), (1, 1, *lengths))
    elif attn_mask is not None:
        expected = (*query.shape[:2], *lengths)
        require(len(attn_mask.shape) <= 4 and all(have in (1, want) for have, want in zip(attn_mask.shape[::-1], expected[::-1])),
                f"`attn_mask` has shape {tuple(attn_mask.shape)}, which does not broadcast to {expected}")
        attn_mask = attn_mask[(None, ) * (4 - len(attn_mask.shape))]
        if dtype_name(attn_mask) == "bool":
            attn_mask = countable(attn_mask)
            steps = [0 if n == 1 else step for n, step in zip(attn_mask.shape, strides(attn_mask))]
            mask = mask_where(query, "given", (attn_mask, *steps), (*attn_mask.shape[:2], *lengths))
        else:
            bias = attn_mask
    return attend(query, key, value, block_mask=mask, bias=bias, scale=scale, dropout=dropout_p, seed=seed)[0]


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None, sinks=None, seed=0):
    """flash-attn's attention on [batch, length, heads, dim]: with `causal` the last query sees all keys; a query sees so many keys before and behind its place as
    `window_size` says, -1 all. alibi_slopes and sinks (scores of a key without a value, which have a gradient) are float32, one for each head."""
    q, k, v = (x.swapaxes(1, 2) for x in (q, k, v))
    left, right = window_size[0], 0 if causal else window_size[1]
    if left < 0 and not dropout_p and not softcap and alibi_slopes is None and sinks is None and (causal or right < 0) and _plain(q, v):
        return attention(q, k, v, causal, softmax_scale).swapaxes(1, 2)
    offset, mask = k.shape[2] - q.shape[2], None
    if left >= 0 or right >= 0:
        mask = mask_where(q, "band", (left, right, offset), (1, 1, q.shape[2], k.shape[2]))
    if alibi_slopes is not None:
        require_shape("alibi_slopes", alibi_slopes, (q.shape[1], ))
        alibi_slopes = contiguous(alibi_slopes)
        rule, data = ("softcap_alibi", (alibi_slopes, offset, float(softcap))) if softcap else ("alibi", (alibi_slopes, offset))
    else:
        rule, data = ("softcap", (float(softcap), )) if softcap else (None, ())
    return attend(q, k, v, rule, data, block_mask=mask, sinks=sinks, scale=softmax_scale, dropout=dropout_p, seed=seed)[0].swapaxes(1, 2)


@op("out")
def rope(x: Array, cos: Array, sin: Array, first_position: int = 0, interleaved: bool = False, inverse: bool = False):
    """Turns pairs of elements of [batch, length, heads, dim] by the angles of tables [positions, dim / 2]: pairs are (i, i + dim / 2), or
    (2 i, 2 i + 1) if interleaved; inverse turns back."""
    require_floats(x=x, cos=cos, sin=sin)
    require(len(x.shape) == 4 and x.shape[3] % 2 == 0, f"`x` has shape {tuple(x.shape)}, but (batch, length, heads, even) is expected")
    require_shape("sin", sin, cos.shape)
    require(len(cos.shape) == 2 and cos.shape[1] == x.shape[3] // 2, f"the tables have shape {tuple(cos.shape)}, but (positions, {x.shape[3] // 2}) is expected")
    require(0 <= first_position and first_position + x.shape[1] <= cos.shape[0],
            f"positions {first_position} to {first_position + x.shape[1]} are needed, but the tables have {cos.shape[0]}")
    out = empty(x, x.shape)
    yield out
    x = unit_rows(x)
    batch, length, heads, dim = x.shape
    block = power_of_two(dim // 2)
    launch("rope", "rope", (length, batch if heads * dim else 0), x, contiguous(cos), contiguous(sin), out, *_steps(x, out), heads, dim // 2,
           first_position, interleaved, inverse, min(power_of_two(heads), max(1, 2048 // block)), block)


@rope.gradient
def _(grad_out, cos, sin, first_position, interleaved, inverse):
    return rope(grad_out, cos, sin, first_position, interleaved, not inverse)

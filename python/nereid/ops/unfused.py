"""Attention a step a kernel, to be read and compared with, and attention with positions in a picture."""
from __future__ import annotations

import math

from ._arrays import contiguous, dtype_name, empty, is_torch, on_gpu, require, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, cdiv, launch, power_of_two
from .product import multiply_batches


def _product(out, a, b, scale=1.0, a_turned=False, b_turned=False):
    """out = scale * a @ b for each batch and head; a turned one has its last axes the other way round."""

    def shape_and_strides(x, turned):
        shape, steps = tuple(x.shape), strides(x)
        return (shape[:2] + shape[:1:-1], steps[:2] + steps[:1:-1]) if turned else (shape, steps)

    (a_shape, a_steps), (b_shape, b_steps) = shape_and_strides(a, a_turned), shape_and_strides(b, b_turned)
    batch, heads, m, k = a_shape
    n = b_shape[3]
    is_wide = on_gpu(a) and dtype_name(b) != "float32"  # tiles for tensor cores
    block_m, block_n = (min(max(power_of_two(size), 16), 128 if is_wide else 64) for size in (m, n))
    launch("unfused_attention", "product", (cdiv(m, block_m), cdiv(n, block_n), batch * heads), a, b, out, m, n, k, scale, heads, *a_steps, *b_steps, *strides(out), block_m, block_n, 64 if is_wide else 32, "ieee",
           num_warps=8 if block_m * block_n >= 128 * 128 else 4)


@op("out weights", shown=1)
def unfused_attention(q: Array, k: Array, v: Array, causal: bool = False, scale: float | None = None):
    """softmax(q @ k^T * scale) @ v on [batch, heads, length, dim], a step a kernel, with all weights in memory: to be read and compared with (`attention` is fast). With `causal`, query i sees the keys up to
    i + length of k - length of q."""
    require_floats(q=q, k=k, v=v)
    require(len(q.shape) == 4 and len(k.shape) == 4, "`q` and `k` have four axes")
    require(q.dtype == k.dtype == v.dtype, f"`q`, `k` and `v` have types {dtype_name(q)}, {dtype_name(k)} and {dtype_name(v)}, but one is expected")
    batch, heads, length, dim = q.shape
    require_shape("k", k, (batch, heads, k.shape[2], dim))
    require_shape("v", v, k.shape)
    out, weights = empty(q, q.shape), empty(q, (batch, heads, length, k.shape[2]))
    yield out, weights
    scores = empty(q, weights.shape, "float32")
    _product(scores, q, k, dim**-0.5 if scale is None else scale, b_turned=True)
    launch("unfused_attention", "softmax_of_scores", (length, batch * heads), scores, weights, length, k.shape[2], causal, min(LONG_BLOCK, power_of_two(k.shape[2])))
    _product(out, weights, v)


@op("grad_q grad_k grad_v")
def unfused_attention_backward(grad_out: Array, weights: Array, q: Array, k: Array, v: Array, scale: float):
    """The gradients, from the weights."""
    grad_q, grad_k, grad_v = (empty(x, x.shape) for x in (q, k, v))
    yield grad_q, grad_k, grad_v
    grad_weights, grad_scores = empty(weights, weights.shape, "float32"), empty(weights, weights.shape)
    _product(grad_v, weights, grad_out, a_turned=True)
    _product(grad_weights, grad_out, v, b_turned=True)
    launch("unfused_attention", "softmax_gradient", (math.prod(weights.shape[:3]), ), weights, grad_weights, grad_scores, weights.shape[3], min(LONG_BLOCK, power_of_two(weights.shape[3])))
    _product(grad_q, grad_scores, k, scale)
    _product(grad_k, grad_scores, q, scale, a_turned=True)


@unfused_attention.gradient
def _(grad_out, q, k, v, scale, weights):
    return unfused_attention_backward(grad_out, weights, q, k, v, q.shape[3]**-0.5 if scale is None else scale)


@op("c")
def bmm(a: Array, b: Array):
    """The product of each pair of two batches of matrices, [batch, m, k] and [batch, k, n], of any strides."""
    require_floats(a=a, b=b)
    require(len(a.shape) == 3 and len(b.shape) == 3 and a.shape[0] == b.shape[0] and a.shape[2] == b.shape[1], f"shapes {tuple(a.shape)} and {tuple(b.shape)} have no product")
    require(a.dtype == b.dtype, f"`a` and `b` have types {dtype_name(a)} and {dtype_name(b)}, but one is expected")
    c = empty(a, (a.shape[0], a.shape[1], b.shape[2]))
    yield c
    if not multiply_batches(c, a, b):
        _product(c[:, None], a[:, None], b[:, None])


@bmm.gradient
def _(grad_c, a, b):
    return bmm(grad_c, b.mT), bmm(a.mT, grad_c)


def _positions(q_size, k_size, table, like):
    """[q_size, k_size, dim]: the row of a table for each distance, both sizes stretched to the larger one."""
    import numpy
    distance = numpy.arange(q_size)[:, None] * max(k_size / q_size, 1.0) - numpy.arange(k_size)[None, :] * max(q_size / k_size, 1.0) + (k_size - 1) * max(q_size / k_size, 1.0)
    distance = distance.astype(numpy.int64)
    require_shape("rel_pos", table, (2 * max(q_size, k_size) - 1, like.shape[-1]))
    if is_torch(table):
        import torch
        return table[torch.from_numpy(distance).to(table.device)]
    return table[distance]


def decomposed_attention(q, k, v, rel_pos_h, rel_pos_w, q_size, k_size, scale=None):
    """Attention over pictures with decomposed relative positions, as in segment-anything: q [batch, heads, height * width of q_size, dim], k and v of k_size; the score of a query and a key has q · rel_pos_h[distance of rows] +
    q · rel_pos_w[distance of columns] added, with tables [2 * the larger size - 1, dim]. Where a gradient of the positions is asked for, the sum stands in memory for each pair."""
    from .attention import scaled_dot_product_attention
    from .flex import flex_attention
    batch, heads, _, dim = q.shape
    require(q.shape[2] == math.prod(q_size) and k.shape[2] == math.prod(k_size), f"{q.shape[2]} queries and {k.shape[2]} keys are no pictures of {tuple(q_size)} and {tuple(k_size)}")
    picture = q.reshape(batch, heads, *q_size, dim)
    by_row = picture @ _positions(q_size[0], k_size[0], rel_pos_h, q).swapaxes(1, 2)
    by_column = (picture.swapaxes(2, 3) @ _positions(q_size[1], k_size[1], rel_pos_w, q).swapaxes(1, 2)).swapaxes(2, 3)
    by_row, by_column = by_row.reshape(batch, heads, -1, k_size[0]), by_column.reshape(batch, heads, -1, k_size[1])
    if getattr(by_row, "requires_grad", False) or getattr(by_column, "requires_grad", False):
        bias = (by_row[..., :, None] + by_column[..., None, :]).reshape(batch, heads, q.shape[2], k.shape[2])
        return scaled_dot_product_attention(q, k, v, bias, scale=scale)
    data = (*(contiguous(x.float() if is_torch(x) else x.astype("float32")) for x in (by_row, by_column)), heads, q.shape[2], *k_size)
    return flex_attention(q, k, v, "relative_2d", None, scale, True, False, data)

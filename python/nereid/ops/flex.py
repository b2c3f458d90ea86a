"""Attention by rule: scores and masks that are jit functions, of the user or of the library (kernels/flex_attention)."""
from __future__ import annotations

import math
from ast import literal_eval
from typing import NamedTuple

from ._arrays import contiguous, dtype_name, empty, on_gpu, require, require_floats, require_shape, strides, sum_to, unit_rows, zeros
from ._declare import op
from ._library import cdiv, kernel, launch, power_of_two


class Rule(NamedTuple):
    """Jit functions, or names of functions of the library, and the numbers of their data. None in data is a place of an array: these are passed beside it."""
    score_mod: object = None
    score_gradient: object = None
    mask_mod: object = None
    score_data: tuple = ()
    mask_data: tuple = ()
    has_gradient: bool = True


_rules = {}  # those with functions of the user, by name: operators of torch take no functions


def _named(rule):
    """The name of a rule, the same for equal ones: its text, where it has no functions of the user."""
    words = [f"{each.__name__}@{id(each):x}" if hasattr(each, "__name__") else repr(each) for each in rule]
    name = f"({', '.join(words)})"
    if "@" in name:
        _rules[name] = rule
    return name


def _rule(name):
    return _rules[name] if name in _rules else Rule(*literal_eval(name))


def _function(rule):
    """A jit function, or the library's of that name."""
    return kernel("flex_attention", rule) if isinstance(rule, str) else rule


def _split(data):
    """(data with None for its arrays, these)"""
    data = tuple(data)
    is_array = [hasattr(each, "dtype") and len(each.shape) > 0 for each in data]
    return tuple(None if array else each for each, array in zip(data, is_array)), [each for each, array in zip(data, is_array) if array]


def _joined(data, arrays):
    arrays = iter(arrays)
    return tuple(next(arrays) if each is None else each for each in data) or None


class BlockMask:
    """Which keys queries see: a rule, and lists of the blocks that need a look, by queries and by keys. `create_block_mask` makes it."""

    def __init__(self, mask_mod, data, shape, block_size, lists):
        self.mask_mod, self.data, self.shape, self.block_size, self.lists = mask_mod, data, shape, block_size, lists

    def __repr__(self):
        return f"BlockMask({self.mask_mod}, {self.shape})"

    def sparsity(self):
        """The share of blocks, in percent, that no query sees."""
        counts, blocks = self.lists[:2]
        return 100 * (1 - float(counts[..., 1].sum()) / max(math.prod(blocks.shape), 1))


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=128, data=()):
    """The blocks of keys that blocks of queries see by `mask_mod(b, h, q_idx, kv_idx, data)`, a jit function or the name of one of the library. B or H None: the rule
    is the same for all. The lists are numpy arrays, or tensors of torch's `device`. BLOCK_SIZE is a number or a pair for queries and keys."""
    blocks = BLOCK_SIZE if isinstance(BLOCK_SIZE, tuple) else (BLOCK_SIZE, BLOCK_SIZE)
    for block in blocks:
        require(block >= 16 and power_of_two(block) == block, f"a block has {block} places, but a power of two from 16 on is expected")
    require(Q_LEN >= 0 and KV_LEN >= 0 and (B is None or B > 0) and (H is None or H > 0), f"there is no mask for a batch of {B}, {H} heads, {Q_LEN} queries and {KV_LEN} keys")
    if device is None:
        import numpy
        like = numpy.empty(0, numpy.int32)
    else:
        import torch
        like = torch.empty(0, dtype=torch.int32, device=device)
    return mask_where(like, mask_mod, data, (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN), blocks)


def mask_where(like, mask_mod, data, shape, blocks=(128, 128)):
    """A block mask where `like` is."""
    numbers, arrays = _split(data)
    rule = _named(Rule(mask_mod=mask_mod, mask_data=numbers))
    return BlockMask(mask_mod, data, shape, blocks, flex_block_lists(like, arrays, rule, *shape, *blocks))


@op("counts blocks counts_k blocks_k")
def flex_block_lists(like: Array, mask_data: Arrays, rule: str, batch: int, heads: int, length_q: int, length_k: int, block_q: int, block_k: int):
    """The lists of blocks of a mask, by queries and by keys, where `like` is."""
    rows, columns = cdiv(length_q, block_q), cdiv(length_k, block_k)
    lists = [empty(like, (batch, heads, *shape), "int32") for shape in ((rows, 2), (rows, columns), (columns, 2), (columns, rows))]
    yield tuple(lists)
    rule, kinds = _rule(rule), empty(like, (batch * heads, rows, columns), "uint8")
    launch("flex_attention", "flex_block_kinds", (columns, rows, batch * heads), kinds, _joined(rule.mask_data, mask_data), heads, length_q, length_k, columns,
           _function(rule.mask_mod), block_q, block_k)
    for (counts, blocks), n, m, steps in ((lists[:2], rows, columns, (columns, 1)), (lists[2:], columns, rows, (1, columns))):
        launch("flex_attention", "flex_block_lists", (n, batch * heads), kinds, counts, blocks, m, rows * columns, *steps, min(max(power_of_two(m), 16), 1024))


def _require_attention(q, k, v, bias, sinks):
    require_floats(q=q, k=k, v=v, bias=bias)
    require(len(q.shape) == 4 and len(k.shape) == 4 and len(v.shape) == 4, "`q`, `k` and `v` have four axes")
    batch, heads, length_q, dim = q.shape
    require_shape("k", k, (batch, k.shape[1], k.shape[2], dim))
    require_shape("v", v, (*k.shape[:3], v.shape[3]))
    require(k.shape[1] > 0 and heads % k.shape[1] == 0, f"`q` has {heads} heads, which is no multiple of the {k.shape[1]} heads of `k`")
    require(1 <= dim <= 256 and 1 <= v.shape[3] <= 256, f"heads have {dim} and {v.shape[3]} elements, but 1 to 256 are expected")
    require(q.dtype == k.dtype == v.dtype, f"`q`, `k` and `v` have types {dtype_name(q)}, {dtype_name(k)} and {dtype_name(v)}, but one is expected")
    if sinks is not None:
        require_shape("sinks", sinks, (heads, ))
    if bias is not None:
        pairs = (batch, heads, length_q, k.shape[2])
        require(len(bias.shape) == 4 and all(n in (1, full) for n, full in zip(bias.shape, pairs)),
                f"`bias` has shape {tuple(bias.shape)}, but {pairs} or 1 in some places is expected")


class _Launch:
    """What all launches of one attention share."""

    def __init__(self, q, k, v, bias, score_data, mask_data, blocks, rule, block_q, block_k):
        self.q, self.k, self.v, self.blocks, self.rule = q, k, v, blocks, _rule(rule)
        self.score_data, self.score_mod = _joined(self.rule.score_data, score_data), _function(self.rule.score_mod)
        self.score_gradient = None if self.rule.score_gradient == "unchanged" else _function(self.rule.score_gradient)
        if bias is not None:
            require(self.score_mod is None, "either a bias or `score_mod` is expected")
            self.score_data = (bias, *(0 if n == 1 else step for n, step in zip(bias.shape, strides(bias))))
            self.score_mod = kernel("flex_attention", "bias")
        self.mask_data = _joined(self.rule.mask_data, mask_data)
        self.batch, self.heads, self.length_q, self.dim = q.shape
        self.heads_k, self.length_k, self.dim_v = k.shape[1], k.shape[2], v.shape[3]
        self.mask_blocks = (block_q, block_k)

    def tile(self, backward):
        """(BLOCK_M, BLOCK_N, launch options)"""
        widest, narrow = max(self.dim, self.dim_v), dtype_name(self.q) != "float32"
        most_m, most_n = (64, 64 if widest <= 128 else 32) if backward else (128 if on_gpu(self.q) and narrow and widest <= 128 else 64, 64)
        block_m, block_n = (min(max(power_of_two(n), 16), most, mask)
                            for n, most, mask in zip((self.length_q, self.length_k), (most_m, most_n), self.mask_blocks))
        return block_m, block_n, {"num_warps": 8 if block_m >= 128 else 4} if on_gpu(self.q) else {}

    def lists(self, by_keys=False):
        """(counts, blocks) and how many rows lie from a batch and a head to the next."""
        counts, blocks = self.blocks[2:] if by_keys else self.blocks[:2]
        if counts is None:
            return (None, None), (0, 0)
        batch, heads, rows = counts.shape[:3]
        return (counts, blocks), (0 if batch == 1 else heads * rows, 0 if heads == 1 else rows)

    def sizes(self, steps, others, block_m, block_n, functions, dropout):
        inner = [step for x in (self.q, self.k, self.v, others) for step in strides(x)[:3]]
        padded = [max(power_of_two(n), 16) for n in (self.dim, self.dim_v)]
        return (*inner, *steps, self.heads, self.heads // self.heads_k, self.length_q, self.length_k, self.dim, self.dim_v, *padded, block_m, block_n,
                *self.mask_blocks, *functions, _function(self.rule.mask_mod), dropout, "ieee")


@op("out lse")
def rule_attention(q: Array, k: Array, v: Array, bias: Array | None, sinks: Array | None, score_data: Arrays, mask_data: Arrays, counts: Array | None,
                   blocks: Array | None, counts_k: Array | None, blocks_k: Array | None, rule: str, block_q: int, block_k: int, scale: float,
                   dropout: float, seed: int):
    """What `flex_attention` and the options of others are made of: see kernels/flex_attention."""
    _require_attention(q, k, v, bias, sinks)
    out, lse = empty(q, (*q.shape[:3], v.shape[3])), empty(q, q.shape[:3], "float32")
    yield out, lse
    it = _Launch(*map(unit_rows, (q, k, v)), bias, score_data, mask_data, (counts, blocks, counts_k, blocks_k), rule, block_q, block_k)
    block_m, block_n, options = it.tile(False)
    lists, steps = it.lists()
    launch("flex_attention", "flex_forward", (cdiv(it.length_q, block_m), it.batch * it.heads), it.q, it.k, it.v, out, lse, *lists, None if sinks is None else contiguous(sinks), it.score_data,
           it.mask_data, scale, seed, *it.sizes(steps, out, block_m, block_n, (it.score_mod, ), dropout), **options)


@op("grad_q grad_k grad_v grad_bias grad_sinks")
def rule_attention_backward(grad_out: Array, grad_lse: Array, q: Array, k: Array, v: Array, bias: Array | None, sinks: Array | None, score_data: Arrays,
                            mask_data: Arrays, counts: Array | None, blocks: Array | None, counts_k: Array | None, blocks_k: Array | None, out: Array,
                            lse: Array, rule: str, block_q: int, block_k: int, scale: float, dropout: float, seed: int):
    """The gradients of q, k, v, of the bias for each pair and of the sinks, these of no element where there are none."""
    q, k, v = map(contiguous, (q, k, v))
    grad_q, grad_k, grad_v = (empty(x, x.shape) for x in (q, k, v))
    grad_bias = empty(q, (0, ), "float32") if bias is None else empty(q, bias.shape, "float32")
    grad_sinks = empty(q, (0, ) if sinks is None else sinks.shape, "float32")
    yield grad_q, grad_k, grad_v, grad_bias, grad_sinks
    it = _Launch(q, k, v, bias, score_data, mask_data, (counts, blocks, counts_k, blocks_k), rule, block_q, block_k)
    require(it.rule.has_gradient, "`score_mod` has no gradient: give `score_mod_gradient`, or 'unchanged' if it only adds to scores")
    grad_out, delta = unit_rows(grad_out), empty(lse, lse.shape)
    block_m, block_n, options = it.tile(True)
    heads, dim_v = it.batch * it.heads, it.dim_v
    launch("flex_attention", "flex_delta", (cdiv(it.length_q, 64), heads), out, grad_out, contiguous(grad_lse), delta, *strides(out)[:3], *strides(grad_out)[:3],
           it.heads, it.length_q, dim_v, max(power_of_two(dim_v), 16), 64)
    functions = (it.score_mod, it.score_gradient)
    lists, steps = it.lists(True)
    launch("flex_attention", "flex_backward_kv", (cdiv(it.length_k, block_n), it.batch * it.heads_k), q, k, v, grad_out, lse, delta, grad_k, grad_v, *lists,
           it.score_data, it.mask_data, scale, seed, *it.sizes(steps, grad_out, block_m, block_n, functions, dropout), **options)
    pairs = None if bias is None else zeros(q, (it.batch, it.heads, it.length_q, it.length_k), "float32")
    lists, steps = it.lists()
    launch("flex_attention", "flex_backward_q", (cdiv(it.length_q, block_m), heads), q, k, v, grad_out, lse, delta, grad_q, pairs, *lists, it.score_data,
           it.mask_data, scale, seed, *it.sizes(steps, grad_out, block_m, block_n, functions, dropout), **options)
    if bias is not None:
        grad_bias[...] = sum_to(pairs, bias.shape)
    if sinks is not None:
        launch("flex_attention", "flex_sink_gradient", (it.heads, ), contiguous(sinks), lse, delta, grad_sinks, it.batch, it.heads, it.length_q, 256)


@rule_attention.gradient
def _(grad_out, grad_lse, q, k, v, bias, sinks, score_data, mask_data, counts, blocks, counts_k, blocks_k, out, lse, rule, block_q, block_k, scale, dropout, seed):
    *found, grad_bias, grad_sinks = rule_attention_backward(grad_out, grad_lse, q, k, v, bias, sinks, score_data, mask_data, counts, blocks, counts_k, blocks_k, out,
                                                            lse, rule, block_q, block_k, scale, dropout, seed)
    return (*found, None if bias is None else grad_bias.to(bias.dtype), None if sinks is None else grad_sinks.to(sinks.dtype))


# Rules of the library whose gradient is not that of what they return.
_GRADIENTS = {"softcap": "softcap_gradient", "softcap_alibi": "softcap_alibi_gradient"}


def attend(q, k, v, score_mod=None, score_data=(), score_gradient=None, block_mask=None, bias=None, sinks=None, scale=None, dropout=0.0, seed=0):
    """(out, lse) by rules."""
    if isinstance(score_mod, str) and score_gradient is None:
        score_gradient = _GRADIENTS.get(score_mod, "unchanged")
    score_numbers, score_arrays = _split(score_data)
    mask_numbers, mask_arrays = _split(block_mask.data) if block_mask else ((), [])
    rule = Rule(score_mod, score_gradient, block_mask.mask_mod if block_mask else None, score_numbers, mask_numbers,
                score_mod is None or score_gradient is not None)
    if block_mask:
        batch, heads, length_q, length_k = block_mask.shape
        require((length_q, length_k) == (q.shape[2], k.shape[2]) and batch in (1, q.shape[0]) and heads in (1, q.shape[1]),
                f"`block_mask` is one of {block_mask.shape}, but {(*q.shape[:3], k.shape[2])} is expected")
    require(q.shape[-1] > 0, "a head has no elements")
    blocks = block_mask.lists if block_mask else (None, ) * 4
    return rule_attention(q, k, v, bias, sinks, score_arrays, mask_arrays, *blocks, _named(rule), *(block_mask.block_size if block_mask else (128, 128)),
                          q.shape[-1]**-0.5 if scale is None else float(scale), float(dropout), seed)


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False, score_data=(), score_mod_gradient=None):
    """torch's attention by rule on [batch, heads, length, dim]. `score_mod(score, b, h, q_idx, kv_idx, score_data)` is a jit function, or the name of one of the
    library: it gives the score that counts, on tiles of fp32. A backward pass asks for `score_mod_gradient(gradient, score, b, h, q_idx, kv_idx, score_data)`:
    the gradient of `score` from that of the result; "unchanged" says that it is the same. `block_mask` comes from `create_block_mask`."""
    require(enable_gqa or query.shape[1] == key.shape[1], f"`query` has {query.shape[1]} heads and `key` {key.shape[1]}: `enable_gqa` lets several share one")
    out, lse = attend(query, key, value, score_mod, score_data, score_mod_gradient, block_mask, scale=scale)
    return (out, lse) if return_lse else out

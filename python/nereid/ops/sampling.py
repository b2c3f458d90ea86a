"""Drawing tokens from rows of logits, and the largest of a row."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, dtype_name, empty, require, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, launch, power_of_two


def _require_rows(logits, **parameters):
    require_floats(logits=logits)
    require(len(logits.shape) == 2 and logits.shape[1] > 0, f"`logits` has shape {tuple(logits.shape)}, but (rows, columns) is expected")
    for name, x in parameters.items():
        if x is not None:
            expected = {"top_k": "int32", "seeds": "int64"}.get(name, "float32")
            require_shape(name, x, logits.shape[:1])
            require(dtype_name(x) == expected, f"`{name}` has type {dtype_name(x)}, but {expected} is expected")


def _given(*parameters):
    return [None if x is None else contiguous(x) for x in parameters]


def _launch(name, logits, parameters, *rest):
    rows, columns = logits.shape
    block = min(2048, power_of_two(columns))  # rows are read many times, in blocks that leave registers for eight sums of each
    launch("sampling", name, (rows, ), logits, *_given(*parameters), *rest, strides(logits)[0], *((columns, ) if name == "filter_logits" else ()),
           columns, block, num_warps=16 if block >= 2048 else 4)


@op("tokens")
def sample(logits: Array, seeds: Array, temperature: Array | None = None, top_k: Array | None = None, top_p: Array | None = None,
           min_p: Array | None = None):
    """A column of each row, int64, drawn from softmax(logits / temperature) over what min_p, top_k and top_p keep. seeds (int64),
    temperature, top_p, min_p (float32) and top_k (int32) have a value for each row; a temperature of 0 takes the largest logit, and a
    top_k of 0 keeps all. The same seed draws the same token."""
    _require_rows(logits, seeds=seeds, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    tokens = empty(logits, logits.shape[:1], "int64")
    yield tokens
    _launch("sample", as_rows(logits), (temperature, top_k, top_p, min_p, seeds), tokens)


@op("tokens")
def multinomial(weights: Array, seeds: Array):
    """A column of each row, drawn with these weights, which need not add up to 1; seeds: int64, one a row."""
    _require_rows(weights, seeds=seeds)
    tokens = empty(weights, weights.shape[:1], "int64")
    yield tokens
    weights = as_rows(weights)
    rows, columns = weights.shape
    block = min(2048, power_of_two(columns))
    launch("sampling", "sample", (rows, ), weights, None, None, None, None, contiguous(seeds), tokens, strides(weights)[0], columns, block, True)


@op("out")
def apply_top_k_top_p(logits: Array, top_k: Array | None = None, top_p: Array | None = None, min_p: Array | None = None,
                      temperature: Array | None = None):
    """logits / temperature, and -inf for what the filters drop; arguments as `sample` has them."""
    _require_rows(logits, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    out = empty(logits, logits.shape)
    yield out
    _launch("filter_logits", as_rows(logits), (temperature, top_k, top_p, min_p), out)


@op("places")
def argmax(x: Array):
    """Where the largest element of the last axis stands, int64; the first of equals."""
    require(len(x.shape) > 0 and x.shape[-1] > 0, f"`x` has shape {tuple(x.shape)}, but a last axis with elements is expected")
    places = empty(x, x.shape[:-1], "int64")
    yield places
    x = as_rows(x)
    launch("reduce", "arg_rows", (x.shape[0], ), x, places, strides(x)[0], x.shape[1], "max", min(LONG_BLOCK, power_of_two(x.shape[1])))

"""Drawing tokens from rows of logits, and the largest of a row."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, dtype_name, empty, host_numbers, require, require_floats, require_shape, require_within, strides, unit_rows, zeros
from ._declare import op
from ._library import LONG_BLOCK, VECTOR_BLOCK, cdiv, launch, power_of_two, warps


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
    block = min(2048, power_of_two(columns))  # blocks that leave registers for eight sums of each; rows are read in several at a time
    span = 4 if columns >= 8192 else 1
    candidates = None if parameters[1] is None or columns <= block else empty(logits, (rows, 2 * block))
    temperature, top_k, top_p, min_p, *seeds = _given(*parameters)
    launch("sampling", name, (rows, ), logits, temperature, top_k, top_p, min_p, candidates, *seeds, *rest, strides(logits)[0], *((columns, ) if name == "filter_logits" else ()),
           columns, span, block, num_warps=16 if block >= 2048 else 4)


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
    launch("sampling", "sample", (rows, ), weights, None, None, None, None, None, contiguous(seeds), tokens, strides(weights)[0], columns, 1, block, True)


@op("out")
def apply_top_k_top_p(logits: Array, top_k: Array | None = None, top_p: Array | None = None, min_p: Array | None = None,
                      temperature: Array | None = None):
    """logits / temperature, and -inf for what the filters drop; arguments as `sample` has them."""
    _require_rows(logits, temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    out = empty(logits, logits.shape)
    yield out
    _launch("filter_logits", as_rows(logits), (temperature, top_k, top_p, min_p), out)


@op("out")
def apply_penalties(logits: Array, prompt_tokens: Array | None, output_tokens: Array, presence: Array | None = None, frequency: Array | None = None,
                    repetition: Array | None = None):
    """logits less the penalties of tokens that are there already: presence is taken off once for a token among output_tokens, frequency for each time; of tokens of the prompt
    or the output, a logit above 0 is divided by repetition, one below multiplied. Penalties are float32, one a row; tokens [rows, any], integers, what is
    no column is padding."""
    _require_rows(logits, presence=presence, frequency=frequency, repetition=repetition)
    for name, x in (("prompt_tokens", prompt_tokens), ("output_tokens", output_tokens)):
        if x is not None:
            require_shape(name, x, (logits.shape[0], *x.shape[1:2]))
            require(dtype_name(x) in ("int32", "int64"), f"`{name}` has type {dtype_name(x)}, but int32 or int64 is expected")
    out = empty(logits, logits.shape)
    yield out
    logits = as_rows(logits)
    rows, columns = logits.shape

    def counted(tokens):
        tokens, counts = unit_rows(tokens), zeros(logits, logits.shape, "int32")
        block = min(max(power_of_two(tokens.shape[1]), 16), 1024)
        launch("penalties", "count_tokens", (cdiv(tokens.shape[1], block), rows), tokens, counts, strides(tokens)[0], tokens.shape[1], columns, block)
        return counts

    block = min(max(power_of_two(columns), 16), VECTOR_BLOCK)
    launch("penalties", "apply_penalties", (cdiv(columns, block), rows), logits, None if prompt_tokens is None else counted(prompt_tokens), counted(output_tokens),
           *_given(repetition, frequency, presence), out, strides(logits)[0], columns, columns, block, num_warps=warps(block))


@op("tokens accepted")
def rejection_sample(draft_tokens: Array, target_probs: Array, bonus_tokens: Array, draft_probs: Array | None = None, seeds: Array | None = None,
                     counts: Array | None = None):
    """Which of draft_tokens (int64 [batch, k]) a target model keeps, given its probabilities [batch, k, columns] and those of the draft (without them it was certain), as
    speculative decoding asks: the tokens int64 [batch, k + 1], -1 behind the last, and how many are the draft's (int32). seeds: int64, one a sequence; without them a token is
    kept where the target finds it most likely. counts (int32): how many tokens of the draft are there."""
    require_floats(target_probs=target_probs, draft_probs=draft_probs)
    require(len(target_probs.shape) == 3, f"`target_probs` has shape {tuple(target_probs.shape)}, but (batch, k, columns) is expected")
    batch, most, columns = target_probs.shape
    for name, x, shape, dtype in (("draft_tokens", draft_tokens, (batch, most), "int64"), ("bonus_tokens", bonus_tokens, (batch, ), "int64"), ("seeds", seeds, (batch, ), "int64"),
                                  ("counts", counts, (batch, ), "int32")):
        if x is not None:
            require_shape(name, x, shape)
            require(dtype_name(x) == dtype, f"`{name}` has type {dtype_name(x)}, but {dtype} is expected")
    if draft_probs is not None:
        require_shape("draft_probs", draft_probs, target_probs.shape)
    tokens, accepted = empty(target_probs, (batch, most + 1), "int64"), empty(target_probs, (batch, ), "int32")
    yield tokens, accepted
    require_within("counts", counts, 0, most)
    drafts, lengths = host_numbers(draft_tokens), host_numbers(counts)
    if drafts is not None:  # behind the last one anything may stand
        require_within("draft_tokens", drafts if lengths is None else drafts[range(most) < lengths[:, None]], 0, columns - 1)
    target = unit_rows(target_probs)
    draft = None if draft_probs is None else unit_rows(draft_probs)
    block = min(max(power_of_two(columns), 16), VECTOR_BLOCK)
    launch("rejection_sampling", "rejection_sampling", (batch, ), contiguous(draft_tokens), *_given(counts), draft, target, contiguous(bonus_tokens), *_given(seeds), tokens,
           accepted, *strides(target if draft is None else draft)[:2], *strides(target)[:2], most, columns, seeds is None, block, num_warps=warps(block))


@op("places")
def argmax(x: Array):
    """Where the largest element of the last axis stands, int64; the first of equals. NaN is passed over; 0 where there is nothing else."""
    require(len(x.shape) > 0 and x.shape[-1] > 0, f"`x` has shape {tuple(x.shape)}, but a last axis with elements is expected")
    places = empty(x, x.shape[:-1], "int64")
    yield places
    x = as_rows(x)
    launch("reduce", "arg_rows", (x.shape[0], ), x, places, strides(x)[0], x.shape[1], "max", min(LONG_BLOCK, power_of_two(x.shape[1])))

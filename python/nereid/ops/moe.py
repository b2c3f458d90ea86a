"""Mixture of experts: routing, the order of tokens by expert, and the way there and back."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, dtype_name, empty, require, require_floats, require_places, require_shape, require_within, strides
from ._declare import op
from ._library import VECTOR_BLOCK, cache_modifier, cdiv, launch, power_of_two, warps


def _require_choices(name, x):
    require(len(x.shape) == 2 and dtype_name(x) == "int32", f"`{name}` has type {dtype_name(x)} and shape {tuple(x.shape)}, but int32 and (tokens, k) are expected")


def _route_blocks(n_experts):
    block_e = power_of_two(n_experts)
    return min(max(1024 // block_e, 1), 32), block_e


@op("weights experts")
def topk_softmax(gating_output: Array, topk: int, renormalize: bool = True):
    """(weights, experts) [tokens, topk], float32 and int32: the largest of softmax(gating_output) of each row, largest first; with
    `renormalize` the weights of a token add up to 1."""
    require_floats(gating_output=gating_output)
    require(len(gating_output.shape) == 2, f"`gating_output` has shape {tuple(gating_output.shape)}, but (tokens, experts) is expected")
    tokens, n_experts = gating_output.shape
    require(0 < topk <= n_experts <= 1024, f"{topk} of {n_experts} experts are asked for, but 1 to all of at most 1024 are expected")
    weights, experts = empty(gating_output, (tokens, topk), "float32"), empty(gating_output, (tokens, topk), "int32")
    yield weights, experts
    logits = as_rows(gating_output)
    block_t, block_e = _route_blocks(n_experts)
    launch("moe", "moe_route", (cdiv(tokens, block_t), ), logits, weights, experts, strides(logits)[0], tokens, n_experts, topk, renormalize, block_t,
           block_e, power_of_two(topk))


@op("grad")
def topk_softmax_backward(grad_weights: Array, gating_output: Array, experts: Array, renormalize: bool):
    """The gradient of gating_output."""
    grad = empty(gating_output, gating_output.shape)
    yield grad
    logits = as_rows(gating_output)
    tokens, n_experts = logits.shape
    block_t, block_e = _route_blocks(n_experts)
    launch("moe", "moe_route_backward", (cdiv(tokens, block_t), ), contiguous(grad_weights), logits, contiguous(experts), grad, strides(logits)[0], tokens,
           n_experts, experts.shape[1], renormalize, block_t, block_e)


@topk_softmax.gradient
def _(grad_weights, grad_experts, gating_output, experts, renormalize):
    return topk_softmax_backward(grad_weights, gating_output, experts, renormalize)


@op("positions ends")
def moe_order(experts: Array, n_experts: int):
    """(positions, ends), int32: the row of each choice [tokens, k] in the order by expert, -1 for what is no expert, and where the rows of
    each expert end, as `grouped_matmul` takes it."""
    _require_choices("experts", experts)
    require(0 < n_experts <= 1024, f"there are {n_experts} experts, but 1 to 1024 are expected")
    require_places("experts", experts.shape[0] * experts.shape[1])
    positions, ends = empty(experts, experts.shape), empty(experts, (n_experts, ))
    yield positions, ends
    count, block_e = experts.shape[0] * experts.shape[1], power_of_two(n_experts)
    block = min(max(8192 // block_e, 8), 128)
    programs = min(max(cdiv(count, block), 1), 128)
    chunk = cdiv(cdiv(count, programs), block) * block
    experts, counts = contiguous(experts), empty(experts, (programs, n_experts))
    launch("moe", "moe_count", (programs, ), experts, counts, count, n_experts, chunk, block, block_e, num_warps=8)
    launch("moe", "moe_positions", (programs, ), experts, counts, positions, ends, count, n_experts, chunk, block, block_e,
           min(max(8192 // block_e, 8), 32), num_warps=8)


@op("out")
def moe_permute(x: Array, positions: Array):
    """[tokens * k, columns]: row positions[t, j] is x[t]. Rows that no position names are undefined."""
    require_floats(x=x)
    _require_choices("positions", positions)
    require(len(x.shape) == 2, f"`x` has shape {tuple(x.shape)}, but (tokens, columns) is expected")
    require_shape("positions", positions, (x.shape[0], positions.shape[1]))
    out = empty(x, (x.shape[0] * positions.shape[1], x.shape[1]))
    yield out
    require_within("positions", positions, -1, out.shape[0] - 1)
    x = as_rows(x)
    block = min(VECTOR_BLOCK, power_of_two(x.shape[1]))
    launch("moe", "moe_permute", (x.shape[0], cdiv(x.shape[1], block)), x, contiguous(positions), out, strides(x)[0], x.shape[1], positions.shape[1],
           block, cache_modifier(out), num_warps=warps(block))


@moe_permute.gradient
def _(grad_out, positions):
    return moe_combine(grad_out, positions)


@op("out")
def moe_combine(y: Array, positions: Array, weights: Array | None = None):
    """The sum of weights[t, j] * y[positions[t, j]] over j for each token t; without weights (float32) each counts 1."""
    require_floats(y=y)
    _require_choices("positions", positions)
    if weights is not None:
        require_shape("weights", weights, positions.shape)
        require(dtype_name(weights) == "float32", f"`weights` has type {dtype_name(weights)}, but float32 is expected")
    require(len(y.shape) == 2, f"`y` has shape {tuple(y.shape)}, but (rows, columns) is expected")
    out = empty(y, (positions.shape[0], y.shape[1]))
    yield out
    require_within("positions", positions, -1, y.shape[0] - 1)
    y = as_rows(y)
    block = min(VECTOR_BLOCK, power_of_two(y.shape[1]))
    launch("moe", "moe_combine", (positions.shape[0], cdiv(y.shape[1], block)), y, contiguous(positions), None if weights is None else contiguous(weights),
           out, strides(y)[0], y.shape[1], positions.shape[1], block, cache_modifier(out), num_warps=warps(block))


@op("grad_y grad_weights")
def moe_combine_backward(grad_out: Array, y: Array, positions: Array, weights: Array):
    """The gradients of y and the weights. Rows that no position names are undefined."""
    grad_y, grad_weights = empty(y, y.shape), empty(y, positions.shape, "float32")
    yield grad_y, grad_weights
    y, grad_out = as_rows(y), as_rows(grad_out)
    block = min(1024, power_of_two(y.shape[1]))
    launch("moe", "moe_combine_backward", (positions.shape[0], ), grad_out, y, contiguous(positions), contiguous(weights), grad_y, grad_weights,
           strides(grad_out)[0], strides(y)[0], y.shape[1], positions.shape[1], block, cache_modifier(grad_y), num_warps=warps(block))


@moe_combine.gradient
def _(grad_out, y, positions, weights):
    if weights is None:
        return moe_permute(grad_out, positions), None, None
    grad_y, grad_weights = moe_combine_backward(grad_out, y, positions, weights)
    return grad_y, None, grad_weights

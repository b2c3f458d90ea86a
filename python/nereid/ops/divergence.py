"""Losses from probabilities: divergences for distillation, DPO and GRPO."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, dtype_name, empty, require, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, VECTOR_BLOCK, cache_modifier, cdiv, launch, power_of_two, warps


@op("loss")
def divergence_rows(x: Array, target: Array, kind: str, beta: float):
    """The sums of rows of kernels/divergence, float32."""
    require_floats(input=x, target=target)
    require(len(x.shape) == 2, f"`input` has shape {tuple(x.shape)}, but (rows, columns) is expected")
    require_shape("target", target, x.shape)
    loss = empty(x, x.shape[:1], "float32")
    yield loss
    x, target = as_rows(x), as_rows(target)
    block = min(LONG_BLOCK, power_of_two(x.shape[1]))
    launch("divergence", "divergence_forward", (x.shape[0], ), x, target, loss, strides(x)[0], strides(target)[0], x.shape[1], beta, kind, block, num_warps=warps(block))


@op("grad")
def divergence_rows_backward(grad_loss: Array, x: Array, target: Array, kind: str, beta: float):
    """The gradient of x."""
    grad = empty(x, x.shape)
    yield grad
    x, target = as_rows(x), as_rows(target)
    rows, columns = x.shape
    block = min(VECTOR_BLOCK, power_of_two(columns))
    launch("divergence", "divergence_backward", (cdiv(columns, block), rows), contiguous(grad_loss), x, target, grad, strides(x)[0], strides(target)[0], columns, columns, beta, kind,
           block, cache_modifier(grad), num_warps=warps(block))


@divergence_rows.gradient
def _(grad_loss, x, target, kind, beta):
    return divergence_rows_backward(grad_loss, x, target, kind, beta)


def _reduced(loss, x, reduction):
    require(reduction in ("none", "sum", "mean", "batchmean"), f"`reduction` is {reduction!r}, but 'none', 'sum', 'mean' or 'batchmean' is expected")
    if reduction == "none":
        return loss
    return loss.sum() / {"sum": 1, "mean": max(x.shape[0] * x.shape[1], 1), "batchmean": max(x.shape[0], 1)}[reduction]


def kl_div(input, target, reduction="batchmean", log_target=False):
    """torch's Kullback-Leibler divergence of rows: target * (log(target) - input), the input logarithms, the target too if log_target. reduction: none (a number for each row), sum, mean (over all
    elements), batchmean."""
    return _reduced(divergence_rows(input, target, "kl_log" if log_target else "kl", 0.0), input, reduction)


def jsd(input, target, beta=0.5, reduction="batchmean"):
    """The Jensen-Shannon divergence of rows of logarithms; beta is the target's share of the mixture: 0 is KL(target, input), 1 KL(input, target). reduction as `kl_div` has it."""
    return _reduced(divergence_rows(input, target, "jsd", float(beta)), input, reduction)


def tvd(input, target, reduction="batchmean"):
    """The total variation distance of rows of probabilities. reduction as `kl_div` has it."""
    return _reduced(divergence_rows(input, target, "tvd", 0.0), input, reduction)


def _require_numbers(shape, **arrays):
    for name, x in arrays.items():
        if x is not None:
            require_shape(name, x, shape)
            require(dtype_name(x) == "float32", f"`{name}` has type {dtype_name(x)}, but float32 is expected")


@op("loss grad", shown=1)
def dpo_loss(policy_chosen_logps: Array, policy_rejected_logps: Array, reference_chosen_logps: Array, reference_rejected_logps: Array, beta: float = 0.1, label_smoothing: float = 0.0,
             loss_type: str = "sigmoid"):
    """The loss of each pair of sequences from the sums of their log-probabilities, all float32 [pairs]; loss_type: sigmoid, hinge or ipo. The reference has no gradient."""
    require(loss_type in ("sigmoid", "hinge", "ipo"), f"`loss_type` is {loss_type!r}, but 'sigmoid', 'hinge' or 'ipo' is expected")
    require(len(policy_chosen_logps.shape) == 1, f"`policy_chosen_logps` has shape {tuple(policy_chosen_logps.shape)}, but (pairs, ) is expected")
    _require_numbers(policy_chosen_logps.shape, policy_chosen_logps=policy_chosen_logps, policy_rejected_logps=policy_rejected_logps, reference_chosen_logps=reference_chosen_logps,
                     reference_rejected_logps=reference_rejected_logps)
    loss, grad = (empty(policy_chosen_logps, policy_chosen_logps.shape) for _ in range(2))
    yield loss, grad
    n = loss.shape[0]
    inputs = map(contiguous, (policy_chosen_logps, policy_rejected_logps, reference_chosen_logps, reference_rejected_logps))
    launch("preference_loss", "dpo_loss", (cdiv(n, 256), ), *inputs, loss, grad, n, beta, label_smoothing, loss_type, 256)


@dpo_loss.gradient
def _(grad_loss, grad):
    return grad_loss * grad, -grad_loss * grad


@op("loss grad", shown=1)
def grpo_loss(logps: Array, advantages: Array, old_logps: Array | None = None, ref_logps: Array | None = None, mask: Array | None = None, eps_low: float = 0.2, eps_high: float = 0.2,
              beta: float = 0.0):
    """The loss of each token of [sequences, length] from log-probabilities, float32: -min(ratio A, clip(ratio) A) + beta * divergence from the reference, 0 where mask is; advantages: float32 [sequences].
    Without old_logps the ratio is 1 with the gradient of logps. Only logps have a gradient."""
    require(len(logps.shape) == 2, f"`logps` has shape {tuple(logps.shape)}, but (sequences, length) is expected")
    _require_numbers(logps.shape, logps=logps, old_logps=old_logps, ref_logps=ref_logps)
    _require_numbers(logps.shape[:1], advantages=advantages)
    if mask is not None:
        require_shape("mask", mask, logps.shape)
        require(dtype_name(mask) in ("bool", "int8", "uint8"), f"`mask` has type {dtype_name(mask)}, but bool is expected")
    loss, grad = (empty(logps, logps.shape) for _ in range(2))
    yield loss, grad
    sequences, length = logps.shape
    given = [None if x is None else contiguous(x) for x in (logps, old_logps, ref_logps, advantages, mask)]
    launch("preference_loss", "grpo_loss", (cdiv(length, 256), sequences), *given, loss, grad, length, eps_low, eps_high, beta, 256)


@grpo_loss.gradient
def _(grad_loss, grad):
    return grad_loss * grad

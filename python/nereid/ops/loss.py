"""Losses of rows of logits."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, dtype_name, empty, require, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, cache_modifier, launch, power_of_two, warps


@op("loss lse", shown=1)
def cross_entropy_rows(logits: Array, target: Array, ignore_index: int = -100):
    """log(sum(exp(logits[i]))) - logits[i, target[i]] for each row, fp32; 0 where the target is ignore_index."""
    require_floats(logits=logits)
    require(len(logits.shape) == 2, f"`logits` has shape {tuple(logits.shape)}, but (rows, classes) is expected")
    require_shape("target", target, logits.shape[:1])
    require(dtype_name(target) in ("int32", "int64"), f"`target` has type {dtype_name(target)}, but int32 or int64 is expected")
    loss, lse = (empty(logits, logits.shape[:1], "float32") for _ in range(2))
    yield loss, lse
    logits = as_rows(logits)
    rows, columns = logits.shape
    block = min(LONG_BLOCK, power_of_two(columns))
    launch("cross_entropy", "cross_entropy_forward", (rows, ), logits, contiguous(target), loss, lse, strides(logits)[0], columns, ignore_index, block,
           num_warps=warps(block))


@op("grad")
def cross_entropy_rows_backward(grad_loss: Array, logits: Array, target: Array, lse: Array, ignore_index: int = -100):
    """The gradient of the logits."""
    grad = empty(logits, logits.shape)
    yield grad
    logits = as_rows(logits)
    rows, columns = logits.shape
    block = min(LONG_BLOCK, power_of_two(columns))
    launch("cross_entropy", "cross_entropy_backward", (rows, ), contiguous(grad_loss), logits, contiguous(target), contiguous(lse), grad,
           strides(logits)[0], columns, columns, ignore_index, block, cache_modifier(grad), num_warps=warps(block))


@cross_entropy_rows.gradient
def _(grad_loss, logits, target, lse, ignore_index):
    return cross_entropy_rows_backward(grad_loss, logits, target, lse, ignore_index)


def cross_entropy(input, target, ignore_index=-100, reduction="mean"):
    """torch's cross entropy of [rows, classes] against classes; reduction: none, sum, mean (over the rows that count)."""
    require(reduction in ("none", "sum", "mean"), f"`reduction` is {reduction!r}, but 'none', 'sum' or 'mean' is expected")
    loss = cross_entropy_rows(input, target, ignore_index)
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / (target != ignore_index).sum()

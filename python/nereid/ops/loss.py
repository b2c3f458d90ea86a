"""Losses of rows of logits."""
from __future__ import annotations

from ._arrays import as_rows, contiguous, converted, dtype_name, empty, require, require_floats, require_shape, strides
from ._declare import op
from ._library import LONG_BLOCK, cache_modifier, cdiv, launch, power_of_two, warps
from .product import add_transposed_product, matmul, multiply_into


@op("loss lse", shown=1)
def cross_entropy_rows(logits: Array, target: Array, ignore_index: int = -100, label_smoothing: float = 0.0, z_loss: float = 0.0, softcap: float = 0.0):
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
           float(label_smoothing), float(z_loss), float(softcap), num_warps=warps(block))


@op("grad")
def cross_entropy_rows_backward(grad_loss: Array, logits: Array, target: Array, lse: Array, ignore_index: int, label_smoothing: float, z_loss: float,
                                softcap: float):
    """The gradient of the logits."""
    grad = empty(logits, logits.shape)
    yield grad
    logits = as_rows(logits)
    rows, columns = logits.shape
    block = min(LONG_BLOCK, power_of_two(columns))
    launch("cross_entropy", "cross_entropy_backward", (rows, ), contiguous(grad_loss), logits, contiguous(target), contiguous(lse), grad,
           strides(logits)[0], columns, columns, ignore_index, block, cache_modifier(grad), float(label_smoothing), float(z_loss), float(softcap),
           num_warps=warps(block))


@cross_entropy_rows.gradient
def _(grad_loss, logits, target, lse, ignore_index, label_smoothing, z_loss, softcap):
    return cross_entropy_rows_backward(grad_loss, logits, target, lse, ignore_index, label_smoothing, z_loss, softcap)


def cross_entropy(input, target, ignore_index=-100, reduction="mean", label_smoothing=0.0, z_loss=0.0, softcap=0.0):
    """torch's cross entropy of [rows, classes] against classes; reduction: none, sum, mean (over the rows that count). z_loss times the square of
    log(sum(exp)) is added; a softcap c turns a logit x into c * tanh(x / c) first."""
    require(reduction in ("none", "sum", "mean"), f"`reduction` is {reduction!r}, but 'none', 'sum' or 'mean' is expected")
    loss = cross_entropy_rows(input, target, ignore_index, label_smoothing, z_loss, softcap)
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / (target != ignore_index).sum()


def _mean_scale(target, ignore_index):
    """1 / how many rows count, float32, where the target lies."""
    if hasattr(target, "new_empty"):
        return 1 / (target != ignore_index).sum().clamp(min=1).float().reshape(1)
    import numpy
    return 1 / numpy.maximum((target != ignore_index).sum(), 1).astype(numpy.float32).reshape(1)


@op("loss grad_x grad_weight", shown=1)
def linear_cross_entropy(x: Array, weight: Array, target: Array, ignore_index: int = -100, label_smoothing: float = 0.0, z_loss: float = 0.0,
                         softcap: float = 0.0, chunk_size: int = 0):
    """The mean cross entropy of the logits x @ weight^T, of which there are never more than chunk_size rows (so many that they are as large as the
    weight if that is 0): x [rows, width], weight [classes, width]. The gradients are computed on the way. float32, without axes."""
    require_floats(x=x, weight=weight)
    require(len(x.shape) == 2 and len(weight.shape) == 2 and x.shape[1] == weight.shape[1], f"shapes {tuple(x.shape)} and {tuple(weight.shape)} have no product of rows")
    require(x.dtype == weight.dtype, f"`x` has type {dtype_name(x)}, but `weight` has {dtype_name(weight)}")
    require_shape("target", target, x.shape[:1])
    require(dtype_name(target) == "int64", f"`target` has type {dtype_name(target)}, but int64 is expected")
    loss, grad_x, grad_weight = empty(x, (), "float32"), empty(x, x.shape), empty(weight, weight.shape)
    yield loss, grad_x, grad_weight
    x, weight, target = as_rows(x), as_rows(weight), contiguous(target)
    (rows, width), classes = x.shape, weight.shape[0]
    chunk, block = min(chunk_size or max(128, power_of_two(width)), max(rows, 1)), min(LONG_BLOCK, power_of_two(classes))
    losses, scale = empty(x, (rows, ), "float32"), _mean_scale(target, ignore_index)
    # Rounded once for each chunk, a narrow gradient loses more the more there are.
    added = grad_weight if rows <= 2 * chunk or dtype_name(grad_weight) == "float32" else empty(x, grad_weight.shape, "float32")
    if rows == 0:
        grad_weight[...] = 0
    for first in range(0, rows, chunk):
        some = x[first:first + chunk]
        logits = matmul.operation.run(some, weight.T)
        count = some.shape[0]
        launch("linear_cross_entropy", "loss_and_gradient", (count if classes else 0, ), logits, target[first:first + chunk], scale,
               losses[first:first + chunk], classes, classes, ignore_index, block, float(label_smoothing), float(z_loss), float(softcap),
               num_warps=warps(block))
        multiply_into(grad_x[first:first + chunk], logits, weight)
        add_transposed_product(added, logits, some, first > 0)
        del logits  # before those of the next chunk
    if added is not grad_weight and rows:
        grad_weight[...] = converted(added, dtype_name(grad_weight))
    loss[...] = losses.sum()


@linear_cross_entropy.gradient
def _(grad_loss, grad_x, grad_weight):
    return (grad_x * grad_loss).to(grad_x.dtype), (grad_weight * grad_loss).to(grad_weight.dtype)

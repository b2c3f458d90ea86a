"""Steps of optimizers in place, and the norm of gradients."""
from __future__ import annotations

import math

from ._arrays import contiguous, dtype_name, empty, on_gpu, require, require_floats, require_shape
from ._declare import op
from ._library import VECTOR_BLOCK, cdiv, launch, warps

_BLOCK = 1024


def _require_state(parameter, gradient, master, factor, **kept):
    require_floats(parameter=parameter, gradient=gradient, **kept)
    for name, x in ({"gradient": gradient} | kept | {"master": master}).items():
        if x is not None:
            require_shape(name, x, parameter.shape)
    require(master is None or dtype_name(master) == "float32", "`master` is not of type float32")
    require(factor is None or dtype_name(factor) == "float32", "`factor` is not of type float32")
    for name, x in ({"parameter": parameter} | kept | {"master": master}).items():
        require(x is None or _is_contiguous(x), f"`{name}` must be contiguous: it is updated in place")


def _is_contiguous(x):
    return x.is_contiguous() if hasattr(x, "is_contiguous") else x.flags.c_contiguous


@op("")
def adamw_(parameter: Changed, gradient: Array, exp_avg: Changed, exp_avg_sq: Changed, step: int, lr: float = 1e-3, beta1: float = 0.9,
           beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.01, master: Changed | None = None, factor: Array | None = None):
    """One step of AdamW in place; `step` counts from 1. `master`, float32, is what is updated where the parameter is narrower; `factor`, a
    float32 array of one element, multiplies the gradient."""
    _require_state(parameter, gradient, master, factor, exp_avg=exp_avg, exp_avg_sq=exp_avg_sq)
    yield
    count = math.prod(parameter.shape)
    launch("optimizer", "adamw", (cdiv(count, _BLOCK), ), parameter, master, contiguous(gradient), exp_avg, exp_avg_sq, factor, count, lr, beta1, beta2, eps,
           weight_decay, 1 - beta1**step, 1 - beta2**step, _BLOCK)


@op("")
def lion_(parameter: Changed, gradient: Array, exp_avg: Changed, lr: float = 1e-4, beta1: float = 0.9, beta2: float = 0.99,
          weight_decay: float = 0.01, master: Changed | None = None, factor: Array | None = None):
    """One step of Lion in place; arguments as adamw_ has them."""
    _require_state(parameter, gradient, master, factor, exp_avg=exp_avg)
    yield
    count = math.prod(parameter.shape)
    launch("optimizer", "lion", (cdiv(count, _BLOCK), ), parameter, master, contiguous(gradient), exp_avg, factor, count, lr, beta1, beta2, weight_decay,
           _BLOCK)


@op("partial")
def sum_of_squares(x: Array):
    """Shares of the sum of squares of all elements, float32; their number depends on the device."""
    require_floats(x=x)
    partial = empty(x, (264 if on_gpu(x) else 16, ), "float32")
    yield partial
    launch("gradient_clip", "sum_of_squares", partial.shape[:1], contiguous(x), partial, math.prod(x.shape), VECTOR_BLOCK, num_warps=warps(VECTOR_BLOCK))


@op("norm factor")
def clip_factor(partial: Array, max_norm: float):
    """(root of the sum of the shares, min(1, max_norm / (norm + 1e-6))), float32 arrays of one element."""
    require(dtype_name(partial) == "float32" and len(partial.shape) == 1, "`partial` is a vector of float32")
    norm, factor = empty(partial, (1, )), empty(partial, (1, ))
    yield norm, factor
    launch("gradient_clip", "clip_factor", (1, ), contiguous(partial), norm, factor, partial.shape[0], max_norm, 1024)


@op("")
def scale_(x: Changed, factor: Array):
    """x *= factor[0] in place; nothing is touched where that is 1."""
    require_floats(x=x)
    require(_is_contiguous(x), "`x` must be contiguous: it is updated in place")
    yield
    count = math.prod(x.shape)
    launch("gradient_clip", "scale_by", (cdiv(count, VECTOR_BLOCK), ), x, factor, count, VECTOR_BLOCK, num_warps=warps(VECTOR_BLOCK))


def grad_norm_factor(gradients, max_norm):
    """(norm of all gradients together, what they are multiplied by so that it is at most max_norm): arrays of one element, on the device, as
    adamw_ and lion_ take the latter."""
    shares = [sum_of_squares(x) for x in gradients]
    require(shares, "there are no gradients")
    if len(shares) == 1:
        return clip_factor(shares[0], max_norm)
    if hasattr(shares[0], "new_empty"):
        import torch
        return clip_factor(torch.cat(shares), max_norm)
    import numpy
    return clip_factor(numpy.concatenate(shares), max_norm)


def clip_grad_norm_(gradients, max_norm):
    """Scales gradients in place so that their norm is at most max_norm; the norm before."""
    norm, factor = grad_norm_factor(gradients, max_norm)
    for x in gradients:
        scale_(x, factor)
    return norm

"""Steps of optimizers in place, and the norm of gradients."""
from __future__ import annotations

import math

from ._arrays import contiguous, dtype_name, empty, on_gpu, require, require_floats, require_places, require_shape, table_beside
from ._declare import op
from ._library import VECTOR_BLOCK, cdiv, launch, power_of_two, row_programs, warps

_BLOCK = 1024


def _require_state(parameter, gradient, master, factor, **kept):
    require_floats(parameter=parameter, gradient=gradient, **kept)
    for name, x in ({"gradient": gradient} | kept | {"master": master}).items():
        if x is not None:
            require_shape(name, x, parameter.shape)
    require(master is None or dtype_name(master) == "float32", "`master` is not of type float32")
    if factor is not None:
        _require_factor(factor)
    for name, x in ({"parameter": parameter} | kept | {"master": master}).items():
        require(x is None or _is_contiguous(x), f"`{name}` must be contiguous: it is updated in place")


def _require_factor(factor):
    require(dtype_name(factor) == "float32", "`factor` is not of type float32")
    require(math.prod(factor.shape) == 1, f"`factor` has shape {tuple(factor.shape)}, but one number is expected")


def _is_contiguous(x):
    return x.is_contiguous() if hasattr(x, "is_contiguous") else x.flags.c_contiguous


@op("")
def adamw_(parameter: Changed, gradient: Array, exp_avg: Changed, exp_avg_sq: Changed, step: int, lr: float = 1e-3, beta1: float = 0.9,
           beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.01, master: Changed | None = None, factor: Array | None = None):
    """One step of AdamW in place; `step` counts from 1. `master`, float32, is what is updated where the parameter is narrower; `factor`, a
    float32 array of one element, multiplies the gradient; where it is 0, nothing changes."""
    _require_state(parameter, gradient, master, factor, exp_avg=exp_avg, exp_avg_sq=exp_avg_sq)
    yield
    count = math.prod(parameter.shape)
    launch("optimizer", "adamw", (cdiv(count, _BLOCK), ), parameter, master, contiguous(gradient), exp_avg, exp_avg_sq, factor, count, lr, beta1, beta2, eps,
           weight_decay, 1 - beta1**step, 1 - beta2**step, _BLOCK)


def _dynamic_values(signed):
    """The 256 values of dynamic tree quantization: each power of ten below 1 has twice as many as the one before, the middles of equal pieces of a tenth to one; 0 and 1 besides."""
    pieces = 1 if signed else 2
    values = [10.0**(power - 6) * (0.1 + 0.9 * (piece + 0.5) / (pieces << power)) for power in range(7) for piece in range(pieces << power)]
    return tuple(sorted(values + [0.0, 1.0] + ([-value for value in values] if signed else [])))


_SIGNED, _UNSIGNED = _dynamic_values(True), _dynamic_values(False)


@op("")
def adamw_8bit_(parameter: Changed, gradient: Array, exp_avg: Changed, exp_avg_sq: Changed, absmax1: Changed, absmax2: Changed, step: int, lr: float = 1e-3, beta1: float = 0.9,
                beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.01, blocksize: int = 256, master: Changed | None = None, factor: Array | None = None):
    """adamw_ with running means of eight bits: exp_avg and exp_avg_sq are codes (uint8, of the parameter's shape), absmax1 and absmax2 (float32) the largest magnitudes of each blocksize elements. All are zeros at
    first."""
    _require_state(parameter, gradient, master, factor)
    require(32 <= blocksize <= 4096 and power_of_two(blocksize) == blocksize, f"a block has {blocksize} elements, but a power of two from 32 to 4096 is expected")
    count = math.prod(parameter.shape)
    runs = cdiv(count, blocksize)
    for name, x, shape, dtype in (("exp_avg", exp_avg, parameter.shape, "uint8"), ("exp_avg_sq", exp_avg_sq, parameter.shape, "uint8"), ("absmax1", absmax1, (runs, ), "float32"),
                                  ("absmax2", absmax2, (runs, ), "float32")):
        require_shape(name, x, shape)
        require(dtype_name(x) == dtype, f"`{name}` has type {dtype_name(x)}, but {dtype} is expected")
        require(_is_contiguous(x), f"`{name}` must be contiguous: it is updated in place")
    yield
    rows = max(1, _BLOCK // blocksize)
    launch("optimizer", "adamw_8bit", (cdiv(runs, rows), ), parameter, master, contiguous(gradient), exp_avg, exp_avg_sq, absmax1, absmax2, table_beside(parameter, _SIGNED),
           table_beside(parameter, _UNSIGNED), factor, count, lr, beta1, beta2, eps, weight_decay, 1 - beta1**step, 1 - beta2**step, blocksize, rows)


@op("")
def lion_(parameter: Changed, gradient: Array, exp_avg: Changed, lr: float = 1e-4, beta1: float = 0.9, beta2: float = 0.99,
          weight_decay: float = 0.01, master: Changed | None = None, factor: Array | None = None):
    """One step of Lion in place; arguments as adamw_ has them."""
    _require_state(parameter, gradient, master, factor, exp_avg=exp_avg)
    yield
    count = math.prod(parameter.shape)
    launch("optimizer", "lion", (cdiv(count, _BLOCK), ), parameter, master, contiguous(gradient), exp_avg, factor, count, lr, beta1, beta2, weight_decay,
           _BLOCK)


_MUON_PROGRAMS = 64


def _require_steps(name, steps):
    """Five are usual; torch, too, takes less than a hundred."""
    require(0 <= steps < 100, f"`{name}` is {steps}, but 0 to 99 are expected")


def _orthogonal_direction(x, momentum, factor, beta, nesterov, steps, coefficients, eps):
    """The direction of a step on [..., rows, columns], and then its Newton-Schulz steps."""
    *outer, rows, columns = x.shape
    matrices, n = math.prod(outer), rows * columns
    require_places("a matrix", n)
    m, wide = min(rows, columns), max(rows, columns)
    lies = (n, columns, 1) if rows <= columns else (n, 1, columns)
    programs = min(_MUON_PROGRAMS, max(1, cdiv(n, _BLOCK)))
    now, after = empty(x, x.shape), empty(x, x.shape)
    gram, polynomial, partial = empty(x, (matrices, m, m)), empty(x, (matrices, m, m)), empty(x, (matrices, programs), "float32")
    launch("muon", "momentum_direction", (programs if n else 0, matrices), contiguous(x), momentum, factor, now, partial, n, beta, nesterov, _BLOCK)
    launch("muon", "normalize", (cdiv(n, _BLOCK), matrices), now, partial, after, n, programs, eps, _MUON_PROGRAMS, _BLOCK)
    block = min(max(power_of_two(m), 16), 128 if on_gpu(x) and dtype_name(x) != "float32" else 64)
    blocks = cdiv(m, block)
    a, b, c = coefficients
    for _ in range(steps):
        now, after = after, now
        launch("muon", "symmetric_product", (blocks, blocks, matrices), now, None, gram, m, wide, *lies, 0.0, 1.0, block, 32, "ieee")
        launch("muon", "symmetric_product", (blocks, blocks, matrices), gram, gram, polynomial, m, m, m * m, m, 1, b, c, block, 32, "ieee")
        launch("muon", "polynomial_product", (blocks, cdiv(wide, block), matrices), polynomial, now, after, m, wide, *lies, a, block, block, 32, "ieee")
    return after


def _require_matrices(name, x):
    require(len(x.shape) >= 2, f"`{name}` has shape {tuple(x.shape)}, but a matrix or a batch of them is expected")


@op("out")
def newton_schulz(x: Array, steps: int = 5, a: float = 3.4445, b: float = -4.7750, c: float = 2.0315, eps: float = 1e-7):
    """Matrices [..., rows, columns] over their norms, and then `steps` times a x + b x x^T x + c (x x^T)^2 x, which takes all singular values close to 1. In the type of x."""
    require_floats(x=x)
    _require_matrices("x", x)
    out = empty(x, x.shape)
    _require_steps("steps", steps)
    yield out
    out[...] = _orthogonal_direction(x, None, None, 0.0, False, steps, (a, b, c), eps)


@op("")
def muon_(parameter: Changed, gradient: Array, momentum_buffer: Changed, lr: float = 1e-3, momentum: float = 0.95, weight_decay: float = 0.1, nesterov: bool = True, ns_steps: int = 5, eps: float = 1e-7,
          adjust_lr: str = "original", master: Changed | None = None, factor: Array | None = None):
    """One step of Muon on matrices [..., rows, columns] in place. The products are of the gradient's type. adjust_lr: "original" multiplies the step by sqrt(max(1, rows / columns)), "match_rms_adamw" by
    0.2 sqrt(max(rows, columns)). master and factor as adamw_ has them."""
    _require_state(parameter, gradient, master, factor, momentum_buffer=momentum_buffer)
    _require_matrices("parameter", parameter)
    require(adjust_lr in ("original", "match_rms_adamw"), f"`adjust_lr` is {adjust_lr!r}, but 'original' or 'match_rms_adamw' is expected")
    _require_steps("ns_steps", ns_steps)
    yield
    rows, columns = parameter.shape[-2:]
    scale = math.sqrt(max(1, rows / max(columns, 1))) if adjust_lr == "original" else 0.2 * math.sqrt(max(rows, columns))
    direction = _orthogonal_direction(gradient, momentum_buffer, factor, momentum, nesterov, ns_steps, (3.4445, -4.7750, 2.0315), eps)
    count = math.prod(parameter.shape)
    launch("muon", "muon_update", (cdiv(count, _BLOCK), ), parameter, master, direction, factor, count, lr * scale, lr * weight_decay, _BLOCK)


@op("partial")
def sum_of_squares(x: Array):
    """Shares of the sum of squares of all elements, float32; their number depends on the device."""
    require_floats(x=x)
    partial = empty(x, (row_programs(x, 16), ), "float32")
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
    _require_factor(factor)
    require(_is_contiguous(x), "`x` must be contiguous: it is updated in place")
    yield
    count = math.prod(x.shape)
    launch("gradient_clip", "scale_by", (cdiv(count, VECTOR_BLOCK), ), x, factor, count, VECTOR_BLOCK, num_warps=warps(VECTOR_BLOCK))


@op("norm factor")
def loss_scale_factor(partial: Array, scale: Changed, growth_tracker: Changed, max_norm: float, growth_factor: float, backoff_factor: float, growth_interval: int):
    """See `grad_scaler_factor`."""
    for name, x, dtype in (("scale", scale, "float32"), ("growth_tracker", growth_tracker, "int32")):
        require_shape(name, x, (1, ))
        require(dtype_name(x) == dtype, f"`{name}` has type {dtype_name(x)}, but {dtype} is expected")
    norm, factor = empty(partial, (1, )), empty(partial, (1, ))
    yield norm, factor
    launch("gradient_clip", "loss_scale", (1, ), contiguous(partial), norm, factor, scale, growth_tracker, partial.shape[0], max_norm, growth_factor, backoff_factor, growth_interval, 1024)


def _shares_of_squares(gradients):
    shares = [sum_of_squares(x) for x in gradients]
    require(shares, "there are no gradients")
    if len(shares) == 1:
        return shares[0]
    if hasattr(shares[0], "new_empty"):
        import torch
        return torch.cat(shares)
    import numpy
    return numpy.concatenate(shares)


def grad_norm_factor(gradients, max_norm):
    """(norm of all gradients together, what they are multiplied by so that it is at most max_norm): arrays of one element, on the device, as
    adamw_ and lion_ take the latter."""
    return clip_factor(_shares_of_squares(gradients), max_norm)


def grad_scaler_factor(gradients, scale, growth_tracker, max_norm=math.inf, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000):
    """For gradients of a loss times scale[0] (float32): (norm without the scale, what takes it off and holds the norm at max_norm), as the optimizers take the latter. Where a gradient is not finite, the factor is 0, which leaves
    their step out, and the scale shrinks; it grows behind growth_interval good steps, which growth_tracker[0] (int32) counts. All stay on the device."""
    return loss_scale_factor(_shares_of_squares(gradients), scale, growth_tracker, max_norm, growth_factor, backoff_factor, growth_interval)


def clip_grad_norm_(gradients, max_norm):
    """Scales gradients in place so that their norm is at most max_norm; the norm before."""
    norm, factor = grad_norm_factor(gradients, max_norm)
    for x in gradients:
        scale_(x, factor)
    return norm

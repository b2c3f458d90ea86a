"""Recurrences along a sequence."""
from __future__ import annotations

from ._arrays import contiguous, empty, on_gpu, require, require_floats, require_shape
from ._declare import op
from ._library import cdiv, launch, multiprocessors, power_of_two

_BLOCK_T = 32


def _scan(h, a, b, initial, reverse):
    """h of contiguous a and b; in chunks where batch and channels leave the device without work."""
    batch, length, channels = a.shape
    block_c = min(max(power_of_two(channels), 16), 64)
    wanted = (4 * multiprocessors(a) if on_gpu(a) else 8) // max(batch * cdiv(channels, block_c), 1)
    chunks = min(max(wanted, 1), max(1, length // 256))
    chunk = max(_BLOCK_T, cdiv(cdiv(length, chunks), _BLOCK_T) * _BLOCK_T)
    chunks, states = max(1, cdiv(length, chunk)), None
    grid = (cdiv(channels, block_c), chunks if length else 0, batch)
    if chunks > 1:
        chunk_a, chunk_b, states = (empty(a, (batch, chunks, channels), "float32") for _ in range(3))
        launch("linear_recurrence", "recurrence_chunks", grid, a, b, chunk_a, chunk_b, length, channels, chunk, _BLOCK_T, block_c, reverse)
        launch("linear_recurrence", "linear_recurrence", (grid[0], 1, batch), chunk_a, chunk_b, initial, None, states, chunks, channels, chunks, _BLOCK_T,
               block_c, False)
    launch("linear_recurrence", "linear_recurrence", grid, a, b, initial, states, h, length, channels, chunk, _BLOCK_T, block_c, reverse)


@op("h")
def linear_recurrence(a: Array, b: Array, initial: Array | None = None):
    """h[:, t] = a[:, t] * h[:, t - 1] + b[:, t] of [batch, length, channels]; initial [batch, channels] is the state before the first step."""
    require_floats(a=a, b=b, initial=initial)
    require(len(a.shape) == 3, f"`a` has shape {tuple(a.shape)}, but (batch, length, channels) is expected")
    require_shape("b", b, a.shape)
    if initial is not None:
        require_shape("initial", initial, (a.shape[0], a.shape[2]))
    h = empty(b, b.shape)
    yield h
    _scan(h, contiguous(a), contiguous(b), None if initial is None else contiguous(initial), False)


@op("grad_a grad_b")
def linear_recurrence_backward(grad_h: Array, a: Array, h: Array, initial: Array | None = None):
    """The gradients of a and b."""
    grad_a, grad_b = empty(a, a.shape), empty(h, h.shape)
    yield grad_a, grad_b
    batch, length, channels = a.shape
    a = contiguous(a)
    _scan(grad_b, a, contiguous(grad_h), None, True)
    launch("linear_recurrence", "recurrence_gradient_of_a", (cdiv(length * channels, 1024), batch), grad_b, contiguous(h),
           None if initial is None else contiguous(initial), grad_a, length, channels, 1024)


@linear_recurrence.gradient
def _(grad_h, a, h, initial):
    grad_a, grad_b = linear_recurrence_backward(grad_h, a, h, initial)
    grad_initial = None if initial is None else (a[:, 0] * grad_b[:, 0]).to(initial.dtype) if a.shape[1] else initial.new_zeros(initial.shape)
    return grad_a, grad_b, grad_initial

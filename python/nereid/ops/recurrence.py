"""Recurrences and causal convolutions along a sequence."""
from __future__ import annotations

from ._arrays import contiguous, empty, on_gpu, require, require_floats, require_shape, strides, unit_rows
from ._declare import op
from ._library import cdiv, launch, multiprocessors, power_of_two
from .normalization import sum_of_rows

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


def _require_convolution(x, weight, bias, state, activation):
    require_floats(x=x, weight=weight, bias=bias, state=state)
    require(activation in ("silu", "none"), f"`activation` is {activation!r}, but 'silu' or 'none' is expected")
    channels = x.shape[1]
    require(len(weight.shape) == 2 and 1 <= weight.shape[1] <= 8, f"`weight` has shape {tuple(weight.shape)}, but (channels, 1 to 8) is expected")
    require_shape("weight", weight, (channels, weight.shape[1]))
    if bias is not None:
        require_shape("bias", bias, (channels, ))
    if state is not None:
        require_shape("state", state, (x.shape[0], channels, weight.shape[1] - 1))


def _convolution_tile(x, elements):
    """(BLOCK_C, BLOCK_T, grid): a tile is long where memory is, along the length or along the channels."""
    along_length = strides(x)[2] == 1 or strides(x)[1] != 1
    block_c = 4 if along_length else min(max(power_of_two(x.shape[1]), 4), elements // 4)
    block_t = elements // block_c
    return block_c, block_t, (cdiv(x.shape[2], block_t), cdiv(x.shape[1], block_c), x.shape[0])


def _given(*arrays):
    return [None if x is None else contiguous(x) for x in arrays]


def _is_by_eight(x, weight, initial_states):
    """Whether a GPU loads whole runs of eight, and finds their neighbours in its registers."""
    return on_gpu(x) and strides(x)[2] == 1 and initial_states is None and weight.shape[1] <= 4


@op("out")
def causal_conv1d_fn(x: Array, weight: Array, bias: Array | None = None, initial_states: Array | None = None, activation: str = "silu"):
    """Mamba's convolution of [batch, channels, length] with weight [channels, width], which sees no later element; initial_states [batch,
    channels, width - 1] lie before the first one. activation: silu or none."""
    require(len(x.shape) == 3, f"`x` has shape {tuple(x.shape)}, but (batch, channels, length) is expected")
    _require_convolution(x, weight, bias, initial_states, activation)
    out = empty(x, x.shape)
    yield out
    block_c, block_t, grid = _convolution_tile(x, 2048)
    by_eight = _is_by_eight(x, weight, initial_states)
    launch("causal_conv1d", "causal_conv1d_forward", grid, x, contiguous(weight), *_given(bias, initial_states), out, *strides(x), *strides(out), *x.shape[1:],
           weight.shape[1], activation == "silu", block_c, block_t, by_eight)


@op("grad_x grad_weight grad_bias")
def causal_conv1d_backward(grad_out: Array, x: Array, weight: Array, bias: Array | None, initial_states: Array | None, activation: str):
    """The gradients of x, weight and bias (float32)."""
    grad_x, grad_weight, grad_bias = empty(x, x.shape), empty(weight, weight.shape, "float32"), empty(weight, weight.shape[:1], "float32")
    yield grad_x, grad_weight, grad_bias
    channels, width = weight.shape
    by_eight = _is_by_eight(x, weight, initial_states)
    block_c, block_t, grid = _convolution_tile(x, 1024 if by_eight else 512)
    partial, total = empty(x, (x.shape[0] * grid[0], (width + 1) * channels), "float32"), empty(x, ((width + 1) * channels, ), "float32")
    launch("causal_conv1d", "causal_conv1d_backward", grid, grad_out, x, contiguous(weight), *_given(bias, initial_states), grad_x, partial,
           *strides(grad_out), *strides(x), *strides(grad_x), *x.shape[1:], width, activation == "silu", block_c, block_t, by_eight)
    sum_of_rows(total, partial)
    total = total.reshape(width + 1, channels)
    grad_weight[...] = total[:width].T
    grad_bias[...] = total[width]


@causal_conv1d_fn.gradient
def _(grad_out, x, weight, bias, initial_states, activation):
    if initial_states is not None and initial_states.requires_grad:
        raise RuntimeError("`nereid.ops.causal_conv1d_fn` has no gradient of `initial_states`")
    grad_x, grad_weight, grad_bias = causal_conv1d_backward(grad_out, x, weight, bias, initial_states, activation)
    return grad_x, grad_weight.to(weight.dtype), None if bias is None else grad_bias.to(bias.dtype)


@op("out")
def causal_conv1d_update(x: Array, conv_state: Changed, weight: Array, bias: Array | None = None, activation: str = "silu"):
    """One new element for each channel, x [batch, channels]: its convolution; conv_state [batch, channels, width - 1] moves on by one in place."""
    require(len(x.shape) == 2, f"`x` has shape {tuple(x.shape)}, but (batch, channels) is expected")
    _require_convolution(x, weight, bias, conv_state, activation)
    width = weight.shape[1]
    require(strides(conv_state) == (x.shape[1] * (width - 1), width - 1, 1), "`conv_state` must be contiguous: it is updated in place")
    out = empty(x, x.shape)
    yield out
    x = unit_rows(x)
    launch("causal_conv1d", "causal_conv1d_update", (cdiv(x.shape[1], 256), x.shape[0]), x, contiguous(weight), *_given(bias), conv_state, out,
           strides(x)[0], x.shape[1], x.shape[1], width, activation == "silu", 256)

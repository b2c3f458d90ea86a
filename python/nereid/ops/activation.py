"""Functions of every element, gated activations, dropout."""
from __future__ import annotations

import math

from ._arrays import as_rows, contiguous, empty, require, require_floats, require_places, require_shape, strides
from ._declare import op
from ._library import VECTOR_BLOCK, cache_modifier, cdiv, kernel, launch, power_of_two, warps


def _launch_elementwise(kind, function, out, *inputs):
    count = out.numel() if hasattr(out, "numel") else out.size
    launch("elementwise", kind, (cdiv(count, VECTOR_BLOCK), ), *map(contiguous, inputs), out, count, kernel("elementwise", function), VECTOR_BLOCK,
           cache_modifier(out), num_warps=warps(VECTOR_BLOCK))


@op("out")
def gelu(x: Array, approximate: str = "none"):
    """x times the normal distribution function of x; approximate="tanh" as many models have it."""
    require(approximate in ("none", "tanh"), f"`approximate` is {approximate!r}, but 'none' or 'tanh' is expected")
    require_floats(x=x)
    out = empty(x, x.shape)
    yield out
    _launch_elementwise("unary", "gelu" if approximate == "none" else "gelu_tanh", out, x)


@op("out")
def silu(x: Array):
    """x * sigmoid(x)."""
    require_floats(x=x)
    out = empty(x, x.shape)
    yield out
    _launch_elementwise("unary", "silu", out, x)


def _rows_and_blocks(*arrays):
    """The arrays by rows, their strides, the columns, the block and the grid of a kernel over (rows, blocks of columns)."""
    flat = [as_rows(each) for each in arrays]
    rows, columns = flat[0].shape
    block = min(VECTOR_BLOCK, power_of_two(columns))
    return flat, [strides(each)[0] for each in flat], columns, block, (rows, cdiv(columns, block))


@op("out")
def swiglu(gate: Array, up: Array):
    """silu(gate) * up. Both may be halves of one array."""
    require_floats(gate=gate, up=up)
    require_shape("up", up, gate.shape)
    out = empty(gate, gate.shape)
    yield out
    flat, steps, columns, block, grid = _rows_and_blocks(gate, up, out)
    launch("swiglu", "swiglu_forward", grid, *flat, *steps, columns, block, cache_modifier(out), num_warps=warps(block))


@op("grad_gate grad_up")
def swiglu_backward(grad_out: Array, gate: Array, up: Array):
    """The gradients of gate and up."""
    grad_gate, grad_up = empty(gate, gate.shape), empty(up, up.shape)
    yield grad_gate, grad_up
    flat, steps, columns, block, grid = _rows_and_blocks(grad_out, gate, up, grad_gate, grad_up)
    launch("swiglu", "swiglu_backward", grid, *flat, *steps, columns, block, cache_modifier(grad_gate), num_warps=warps(block))


@swiglu.gradient
def _(grad_out, gate, up):
    return swiglu_backward(grad_out, gate, up)


@op("out")
def geglu(gate: Array, up: Array, approximate: str = "none"):
    """gelu(gate) * up. Both may be halves of one array."""
    require(approximate in ("none", "tanh"), f"`approximate` is {approximate!r}, but 'none' or 'tanh' is expected")
    require_floats(gate=gate, up=up)
    require_shape("up", up, gate.shape)
    out = empty(gate, gate.shape)
    yield out
    flat, steps, columns, block, grid = _rows_and_blocks(gate, up, out)
    launch("geglu", "geglu_forward", grid, *flat, *steps, columns, approximate == "tanh", block, cache_modifier(out), num_warps=warps(block))


@op("grad_gate grad_up")
def geglu_backward(grad_out: Array, gate: Array, up: Array, approximate: str = "none"):
    """The gradients of gate and up."""
    grad_gate, grad_up = empty(gate, gate.shape), empty(up, up.shape)
    yield grad_gate, grad_up
    flat, steps, columns, block, grid = _rows_and_blocks(grad_out, gate, up, grad_gate, grad_up)
    launch("geglu", "geglu_backward", grid, *flat, *steps, columns, approximate == "tanh", block, cache_modifier(grad_gate), num_warps=warps(block))


@geglu.gradient
def _(grad_out, gate, up, approximate):
    return geglu_backward(grad_out, gate, up, approximate)


@op("out")
def dropout(x: Array, p: float, seed: int):
    """Zeroes each element with probability p and scales the others by 1 / (1 - p). The seed alone decides which."""
    require_floats(x=x)
    require(0 <= p <= 1, f"`p` is {p}, but 0 to 1 is expected")
    count = math.prod(x.shape)
    require_places("x", count)
    out = empty(x, x.shape)
    yield out
    launch("dropout", "dropout", (cdiv(count, VECTOR_BLOCK), ), contiguous(x), out, count, float(p), seed, VECTOR_BLOCK, cache_modifier(out),
           num_warps=warps(VECTOR_BLOCK))


@dropout.gradient
def _(grad_out, p, seed):
    return dropout(grad_out, p, seed)

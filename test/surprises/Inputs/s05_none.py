"""Surprise 5: None arguments specialize a kernel."""
import triton
import triton.language as tl


@triton.heuristics({"HAS_SCALE": lambda args: args["scale"] is not None})
@triton.jit
def optional_arguments(x, bias, scale, y, HAS_SCALE: tl.constexpr):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    if bias is not None:
        v += tl.load(bias + i)
    if HAS_SCALE:
        v *= tl.load(scale)
    tl.store(y + i, v)


@triton.jit
def add_optional(v, bias, i):
    if bias is None:
        return v
    else:
        return v + tl.load(bias + i)


@triton.jit
def optional_in_a_function(x, y, bias=None):
    i = tl.arange(0, 32)
    tl.store(y + i, add_optional(tl.load(x + i), bias, i))

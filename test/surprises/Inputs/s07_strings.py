"""Surprise 7: strings are compile-time values."""
import triton
import triton.language as tl


@triton.jit
def activated(x, y, ACTIVATION: tl.constexpr, PREFIX: tl.constexpr = "re"):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    name: tl.constexpr = f"{PREFIX}lu"
    tl.static_assert(ACTIVATION != "wrong", f"no activation {ACTIVATION!r} for {PREFIX}")
    if ACTIVATION == name:
        v = tl.maximum(v, 0.0)
    elif ACTIVATION == "silu":
        v = v * tl.sigmoid(v)
    elif ACTIVATION == "":
        v = -v
    tl.store(y + i, v)

# expect: is -2, but -0.02 is expected
"""The two sides of the selection are exchanged: positive numbers are damped, negative ones are not."""
import triton
import triton.language as tl


@triton.jit
def activate(x_ptr, out_ptr, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    if KIND == "relu":
        y = tl.maximum(x, 0.0)
    elif KIND == "leaky":
        y = tl.where(x >= 0, 0.01 * x, x)
    elif KIND == "sigmoid":
        y = tl.sigmoid(x)
    elif KIND == "silu":
        y = x * tl.sigmoid(x)
    else:
        y = x * tl.sigmoid(2 * 0.7978845608 * (x + 0.044715 * x * x * x))
    tl.store(out_ptr + i, y, mask=inside)

# expect: is nan, but 30 is expected
"""tanh as a quotient of exponentials: infinity divided by infinity for large x."""
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
        y = tl.where(x >= 0, x, 0.01 * x)
    elif KIND == "sigmoid":
        y = tl.sigmoid(x)
    elif KIND == "silu":
        y = x * tl.sigmoid(x)
    else:
        e = tl.exp(2 * 0.7978845608 * (x + 0.044715 * x * x * x))
        y = 0.5 * x * (1 + (e - 1) / (e + 1))
    tl.store(out_ptr + i, y, mask=inside)

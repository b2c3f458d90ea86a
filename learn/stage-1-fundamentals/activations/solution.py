"""out[i] = f(x[i]) with f by name: relu, leaky, sigmoid, silu or gelu."""
import triton
import triton.language as tl


@triton.jit
def activate(x_ptr, out_ptr, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    # Chosen when the kernel is compiled: one branch is left.
    if KIND == "relu":
        y = tl.maximum(x, 0.0)
    elif KIND == "leaky":
        # Element by element: both sides are computed, one is taken.
        y = tl.where(x >= 0, x, 0.01 * x)
    elif KIND == "sigmoid":
        y = tl.sigmoid(x)
    elif KIND == "silu":
        y = x * tl.sigmoid(x)
    else:
        tl.static_assert(KIND == "gelu")
        # 0.5 * (1 + tanh(s)) is sigmoid(2 * s), which neither overflows nor divides infinities.
        s = 0.7978845608 * (x + 0.044715 * x * x * x)
        y = x * tl.sigmoid(2 * s)
    tl.store(out_ptr + i, y, mask=inside)

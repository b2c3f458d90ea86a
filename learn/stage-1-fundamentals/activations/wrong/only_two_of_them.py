# expect: but 0.5 is expected
"""Everything that is not relu is taken to be leaky."""
import triton
import triton.language as tl


@triton.jit
def activate(x_ptr, out_ptr, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    x = tl.load(x_ptr + i, mask=inside)
    if KIND == "relu":
        y = tl.maximum(x, 0.0)
    else:
        y = tl.where(x >= 0, x, 0.01 * x)
    tl.store(out_ptr + i, y, mask=inside)

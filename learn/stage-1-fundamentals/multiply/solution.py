"""x[i] = factor * x[i], in place."""
import triton
import triton.language as tl


@triton.jit
def multiply(x_ptr, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    # Every element belongs to one lane, which reads before it writes: no copy is needed.
    x = tl.load(x_ptr + i, mask=inside)
    tl.store(x_ptr + i, factor * x, mask=inside)

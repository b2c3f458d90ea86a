"""Day 26: two functions that `tl` alone does badly."""
import triton
import triton.language as tl
# YOUR CODE: import libdevice


@triton.jit
def functions(x_ptr, gelu_ptr, growth_ptr, n, scale, BLOCK: tl.constexpr):
    """Of y = scale * x: gelu(y) with erf, and (exp(y) - 1) / y, which is 1 where y is 0."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    y = scale * tl.load(x_ptr + offsets, mask=inside, other=0.0)
    # YOUR CODE
